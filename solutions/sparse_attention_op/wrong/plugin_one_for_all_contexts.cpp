/*
Gives the same plugin to each context.

fails: plugin.carried
*/

    // ### BEGIN SOLUTION sparse_attention_op.plugin attach
    return this;
    // ### END SOLUTION
