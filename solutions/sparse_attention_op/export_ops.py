"""Three ways into an ONNX file: as standard operators, as a function, as a node of our own.

All files have the inputs q, k, v, float32 [batch, heads, length, depth], and threshold, float32
[heads], and the output out, [batch, heads, length, depth]. Batch and length are free.
"""

import onnx
import onnxscript
import sparse_op
import torch
from onnxscript import FLOAT
from onnxscript import opset18 as op

DOMAIN, NAME, VERSION = "hotloop.lab", "SparseAttention", 1
INPUTS, OUTPUT = ("q", "k", "v", "threshold"), "out"


class Layer(torch.nn.Module):
    """What is exported: the operator of task 2, called once."""

    def __init__(self, block, causal):
        super().__init__()
        self.block, self.causal = block, causal

    def forward(self, q, k, v, threshold):
        return sparse_op.attention(q, k, v, threshold, self.block, self.causal)


def example(heads, depth, block):
    """Inputs for an export: two sequences, so that no size is one."""
    shape = (2, heads, 2 * block + 3, depth)
    return (*(torch.zeros(shape) for _ in range(3)), torch.zeros(heads))


def free_sizes():
    """For `dynamic_shapes`: batch and length of q, k and v."""
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length")
    return (*({0: batch, 2: length},) * 3, None)


### BEGIN SOLUTION sparse_attention_op.decomposition
### STUB def decomposed(opset, heads, depth, block, causal, target):
### STUB     """Write Layer(block, causal) to `target` in operators of ONNX's own, of this opset."""
### STUB     raise NotImplementedError("sparse_attention_op.decomposition")
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
        dynamic_shapes=free_sizes(),
        custom_translation_table={torch.ops.sparse_lab.attention.default: SparseAttention},
        external_data=False,
    )


### END SOLUTION


### BEGIN SOLUTION sparse_attention_op.function
### STUB def as_function(heads, depth, block, causal, target):
### STUB     """Write one node SparseAttention to `target`, and the function behind it."""
### STUB     raise NotImplementedError("sparse_attention_op.function")
def as_function(heads, depth, block, causal, target):
    """Write one node SparseAttention to `target`, and the function behind it."""
    ends = [
        onnx.helper.make_tensor_value_info(
            name, onnx.TensorProto.FLOAT, ["batch", heads, "length", depth]
        )
        for name in (*INPUTS[:3], OUTPUT)
    ]
    threshold = onnx.helper.make_tensor_value_info(INPUTS[3], onnx.TensorProto.FLOAT, [heads])
    node = onnx.helper.make_node(
        NAME, INPUTS, [OUTPUT], domain=DOMAIN, block=block, causal=int(causal)
    )
    graph = onnx.helper.make_graph([node], "layer", [*ends[:3], threshold], ends[3:])
    model = onnx.helper.make_model(
        graph,
        functions=[SparseAttention.to_function_proto()],
        opset_imports=[onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid(DOMAIN, VERSION)],
        ir_version=10,
    )
    onnx.save(model, target)


### END SOLUTION


### BEGIN SOLUTION sparse_attention_op.node
### STUB def as_node(heads, depth, block, causal, target):
### STUB     """Write Layer(block, causal) to `target` as one node SparseAttention, and no more."""
### STUB     raise NotImplementedError("sparse_attention_op.node")
class Symbol(torch.nn.Module):
    """A layer that is never run: it says which node stands for it, and what comes out."""

    def __init__(self, block, causal):
        super().__init__()
        self.block, self.causal = block, causal

    def forward(self, q, k, v, threshold):
        return torch.onnx.ops.symbolic(
            f"{DOMAIN}::{NAME}",
            (q, k, v, threshold),
            {"block": self.block, "causal": int(self.causal)},
            dtype=q.dtype,
            shape=q.shape,
            version=VERSION,
        )


def as_node(heads, depth, block, causal, target):
    """Write Layer(block, causal) to `target` as one node SparseAttention, and no more."""
    torch.onnx.export(
        Symbol(block, causal).eval(),
        example(heads, depth, block),
        target,
        dynamo=True,
        input_names=INPUTS,
        output_names=[OUTPUT],
        dynamic_shapes=free_sizes(),
        external_data=False,
    )


### END SOLUTION
