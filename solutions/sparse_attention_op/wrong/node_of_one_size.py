"""Writes the batch and the length of the example into the output.

fails: node.node
"""


### BEGIN SOLUTION sparse_attention_op.node
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
            shape=[int(n) for n in (2, *q.shape[1:2], 35, *q.shape[3:])],
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
