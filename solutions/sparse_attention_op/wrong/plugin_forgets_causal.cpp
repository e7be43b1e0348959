/*
Stores the block length in the engine and not whether it is causal.

fails: plugin.carried
*/

    // ### BEGIN SOLUTION sparse_attention_op.plugin serialize
    fields_ = {PluginField("block", &block_, PluginFieldType::kINT64, 1)};
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
    return &collection_;
    // ### END SOLUTION
