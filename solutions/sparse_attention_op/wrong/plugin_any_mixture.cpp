/*
Takes float16 and float32 at each position, whatever the others are.

fails: plugin.planned
*/

    // ### BEGIN SOLUTION sparse_attention_op.plugin formats
    PluginTensorDesc const& asked = inOut[pos].desc;
    if (asked.format != TensorFormat::kLINEAR) return false;
    if (pos == kTHRESHOLD) return asked.type == DataType::kFLOAT;
    return asked.type == DataType::kFLOAT || asked.type == DataType::kHALF;
    // ### END SOLUTION
