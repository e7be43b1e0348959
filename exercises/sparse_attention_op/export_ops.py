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


### TASK sparse_attention_op.decomposition
def decomposed(opset, heads, depth, block, causal, target):
    """Write Layer(block, causal) to `target` in operators of ONNX's own, of this opset."""
    raise NotImplementedError("sparse_attention_op.decomposition")


### TASK sparse_attention_op.function
def as_function(heads, depth, block, causal, target):
    """Write one node SparseAttention to `target`, and the function behind it."""
    raise NotImplementedError("sparse_attention_op.function")


### TASK sparse_attention_op.node
def as_node(heads, depth, block, causal, target):
    """Write Layer(block, causal) to `target` as one node SparseAttention, and no more."""
    raise NotImplementedError("sparse_attention_op.node")
