"""A small builder over onnx.helper; free sizes without names; blocks by padding and a mean of parts."""


### BEGIN SOLUTION sparse_attention_op.decomposition
import numpy as np


class Builder:
    """Nodes by method: each call gives the name of a new value."""

    def __init__(self):
        self.nodes, self.stored = [], []

    def __getattr__(self, kind):
        def call(*inputs, result=None, **attributes):
            name = result or f"{kind.lower()}_{len(self.nodes)}"
            names = [each if isinstance(each, str) else self.store(each) for each in inputs]
            self.nodes.append(onnx.helper.make_node(kind, names, [name], **attributes))
            return name

        return call

    def store(self, value):
        name = f"c{len(self.stored)}"
        self.stored.append(onnx.numpy_helper.from_array(np.asarray(value), name))
        return name


def i64(*values):
    return np.array(values, np.int64)


def decomposed(opset, heads, depth, block, causal, target):
    """Write Layer(block, causal) to `target` in operators of ONNX's own, of this opset."""
    g = Builder()
    length = g.Gather(g.Shape("q"), i64(2), axis=0)
    # 1 for each token, padded like q: what a block has of tokens is the sum.
    ones = g.ConstantOfShape(length, value=onnx.numpy_helper.from_array(np.ones(1, np.float32)))
    lacking = g.Mod(g.Neg(length), i64(block))
    pads = g.Concat(i64(0, 0, 0, 0, 0, 0), lacking, i64(0), axis=0)
    counts = g.ReduceSum(
        g.Reshape(g.Pad(ones, g.Concat(i64(0), lacking, axis=0)), i64(-1, block)),
        i64(1),
        keepdims=1,
    )

    def means(x):
        parts = g.Reshape(g.Pad(x, pads), i64(0, heads, -1, block, depth))
        return g.Div(g.ReduceSum(parts, i64(3), keepdims=0), counts)

    root = np.float32(depth) ** np.float32(0.5)
    gates = g.Einsum(means("q"), means("k"), equation="bhid,bhjd->bhij")
    limit = g.Mul(g.Reshape("threshold", i64(1, heads, 1, 1)), root)
    chosen = g.Cast(g.GreaterOrEqual(gates, limit), to=onnx.TensorProto.FLOAT)
    # Each block's decision, repeated for its tokens: a tile, folded and cut to the length.
    for axis in (2, 3):
        tall = g.Unsqueeze(chosen, i64(axis + 1))
        shape = g.Shape(tall)
        repeats = [i64(1)] * 5
        repeats[axis + 1] = i64(block)
        many = g.Expand(tall, g.Mul(shape, g.Concat(*repeats, axis=0)))
        before, after = g.Slice(shape, i64(0), i64(axis)), g.Slice(shape, i64(axis + 2), i64(5))
        folded = g.Reshape(many, g.Concat(before, i64(-1), after, axis=0))
        chosen = g.Slice(folded, i64(0), length, i64(axis))
    allowed = g.Trilu(chosen, upper=0) if causal else chosen
    scores = g.Div(g.Einsum("q", "k", equation="bhmd,bhnd->bhmn"), root)
    blocked = g.Mul(g.Sub(np.float32(1), allowed), np.float32(1e30))
    safe = g.Sub(scores, blocked)
    weights = g.Mul(g.Exp(g.Sub(safe, g.ReduceMax(safe, i64(3)))), allowed)
    total = g.ReduceSum(weights, i64(3), keepdims=1)
    total = g.Where(g.Equal(total, np.float32(0)), np.float32(1), total)
    g.Einsum(g.Div(weights, total), "v", equation="bhmn,bhnd->bhmd", result="out")

    def end(name, shape):
        return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)

    free = [None, heads, None, depth]
    graph = onnx.helper.make_graph(
        g.nodes,
        "attention",
        [*(end(name, free) for name in INPUTS[:3]), end("threshold", [heads])],
        [end("out", free)],
        g.stored,
    )
    opsets = [onnx.helper.make_opsetid("", opset)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=9), target)


### END SOLUTION
