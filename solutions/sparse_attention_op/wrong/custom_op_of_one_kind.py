"""Registers an operator for the attributes of the first model that it saw.

fails: custom_op.correct
"""

### BEGIN SOLUTION sparse_attention_op.custom_op
FLOAT, INTEGER = extensions.PyCustomOpDef.dt_float, extensions.PyCustomOpDef.dt_int64


@extensions.onnx_op(
    op_type=f"{DOMAIN}::{NAME}",
    inputs=[FLOAT] * 4,
    outputs=[FLOAT],
    attrs={"block": INTEGER, "causal": INTEGER},
)
def attention(q, k, v, threshold, block, causal):
    """Called for each node, with that node's attributes."""
    given = (torch.from_numpy(np.ascontiguousarray(x)) for x in (q, k, v, threshold))
    return reference.attention(*given, 16, False).numpy()


def run(path, feeds_path, target):
    """Run the model at `path` on the arrays of an .npz file; write outputs as another."""
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(extensions.get_library_path())
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    with np.load(feeds_path) as feeds:
        outputs = session.run(None, dict(feeds))
    names = [end.name for end in session.get_outputs()]
    np.savez(target, **dict(zip(names, outputs, strict=True)))


### END SOLUTION
