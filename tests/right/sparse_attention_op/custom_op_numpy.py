"""The operator in numpy, PyOp.dt_float by name, blocks by np.add.reduceat; outputs zipped by names that are asked for."""


### BEGIN SOLUTION sparse_attention_op.custom_op
from onnxruntime_extensions import PyCustomOpDef, get_library_path, onnx_op


@onnx_op(
    op_type="hotloop.lab::SparseAttention",
    inputs=[PyCustomOpDef.dt_float, PyCustomOpDef.dt_float, PyCustomOpDef.dt_float, PyCustomOpDef.dt_float],
    outputs=[PyCustomOpDef.dt_float],
    attrs={"causal": PyCustomOpDef.dt_int64, "block": PyCustomOpDef.dt_int64},
)
def sparse_attention(q, k, v, threshold, **attributes):
    block, causal = int(attributes["block"]), bool(attributes["causal"])
    n, d = q.shape[2:]
    starts = np.arange(0, n, block)
    sizes = np.diff(np.append(starts, n))[:, None]
    pq, pk = (np.add.reduceat(x, starts, axis=2) / sizes for x in (q, k))
    gate = pq @ pk.swapaxes(-1, -2) / np.sqrt(d)
    keep = gate >= threshold[:, None, None]
    home = np.arange(n) // block
    seen = keep[:, :, home][..., home]
    if causal:
        seen &= np.arange(n)[None, :] <= np.arange(n)[:, None]
    scores = np.where(seen, q @ k.swapaxes(-1, -2) / np.sqrt(d), -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = weights.sum(axis=-1, keepdims=True)
    return (weights @ v / np.where(total == 0, 1, total)).astype(np.float32)


def run(path, feeds_path, target):
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(get_library_path())
    session = onnxruntime.InferenceSession(path, sess_options=options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    feeds = {name: array for name, array in np.load(feeds_path).items()}
    with open(target, "wb") as stream:
        np.savez_compressed(stream, **{n: a for n, a in zip(names, session.run(names, feeds))})


### END SOLUTION
