"""Exports the length of the example, so that the file takes no other one.

fails: decomposition.standard
"""

### BEGIN SOLUTION sparse_attention_op.decomposition
LAB = onnxscript.values.Opset(DOMAIN, VERSION)


@onnxscript.script(LAB, default_opset=op)
def SparseAttention(
    q: FLOAT, k: FLOAT, v: FLOAT, threshold: FLOAT, block: int, causal: int
) -> FLOAT:  # without it the exporter takes it for a function without outputs
    size = op.Constant(value_int=block)
    zero = op.Constant(value_int=0)
    one = op.Constant(value_int=1)
    line = op.Constant(value_ints=[-1])
    length = op.Squeeze(op.Shape(q, start=2, end=3))
    depth = op.Shape(q, start=3, end=4)
    scale = op.Sqrt(op.CastLike(depth, q))
    blocks = (length + size - one) / size
    padding = op.Concat(
        op.Constant(value_ints=[0]), op.Reshape(blocks * size - length, line), axis=0
    )
    rows = op.Constant(value_ints=[2])
    split = op.Concat(op.Constant(value_ints=[0, 0, -1]), op.Reshape(size, line), depth, axis=0)
    inner = op.Constant(value_ints=[3])
    # The last block has fewer tokens than the others: its mean is divided by those it has.
    places = op.Range(zero, blocks, one)
    tokens = op.CastLike(op.Min(size, length - places * size), q)
    sizes = op.Unsqueeze(tokens, op.Constant(value_ints=[1]))
    q_sums = op.ReduceSum(op.Reshape(op.Pad(q, padding, None, rows), split), inner, keepdims=0)
    k_sums = op.ReduceSum(op.Reshape(op.Pad(k, padding, None, rows), split), inner, keepdims=0)
    turned = op.Transpose(k_sums / sizes, perm=[0, 1, 3, 2])
    gate = op.MatMul(q_sums / sizes, turned) / scale
    chosen = gate >= op.Unsqueeze(threshold, op.Constant(value_ints=[1, 2]))
    # From blocks to tokens: each token looks up its block's row and column.
    token = op.Range(zero, length, one)
    home = token / size
    allowed = op.Gather(op.Gather(chosen, home, axis=2), home, axis=3)
    earlier = op.Unsqueeze(token, op.Constant(value_ints=[1])) >= token
    anything = op.Constant(value_int=causal) == zero
    allowed = op.And(allowed, op.Or(earlier, anything))
    lowest = op.CastLike(op.Constant(value_float=float("-inf")), q)
    scores = op.MatMul(q, op.Transpose(k, perm=[0, 1, 3, 2])) / scale
    scores = op.Where(allowed, scores, lowest)
    last = op.Constant(value_ints=[-1])
    highest = op.ReduceMax(scores, last)
    # A row that attends to nothing: −inf − (−inf) would be NaN, and 0 / 0 as well.
    nothing = highest == lowest
    weights = op.Exp(scores - op.Where(nothing, op.CastLike(zero, q), highest))
    total = op.ReduceSum(weights, last)
    total = op.Where(nothing, op.CastLike(one, q), total)
    return op.MatMul(weights, v) / total


def decomposed(opset, heads, depth, block, causal, target):
    """Write Layer(block, causal) to `target` in operators of ONNX's own, of this opset."""
    torch.onnx.export(
        Layer(block, causal).eval(),
        example(heads, depth, block),
        target,
        dynamo=True,
        opset_version=opset,
        input_names=INPUTS,
        output_names=[OUTPUT],
        dynamic_shapes=(*({0: torch.export.Dim("batch")},) * 3, None),
        custom_translation_table={torch.ops.sparse_lab.attention.default: SparseAttention},
        external_data=False,
    )


### END SOLUTION
