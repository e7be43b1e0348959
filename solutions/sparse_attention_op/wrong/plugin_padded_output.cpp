/*
Says that the output is as long as whole blocks are.

fails: plugin.described
*/

    // ### BEGIN SOLUTION sparse_attention_op.plugin shapes
    if (nbInputs != kINPUTS || nbOutputs != 1) return -1;
    outputs[0] = inputs[0];
    IDimensionExpr const* block = exprBuilder.constant(block_);
    IDimensionExpr const* blocks =
        exprBuilder.operation(DimensionOperation::kCEIL_DIV, *inputs[0].d[2], *block);
    outputs[0].d[2] = exprBuilder.operation(DimensionOperation::kPROD, *blocks, *block);
    return 0;
    // ### END SOLUTION
