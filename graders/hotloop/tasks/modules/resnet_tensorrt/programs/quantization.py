"""Source, calibration frames and test signs for quantization, and the quantized file's structure.

Runs in our own workers, beside the module's resnet.py, signs.py and weights. `source`,
`calibration`, `signs` and `classes` never see a file of the candidate's; `structure` reads its
file, in a separate process. Functions import onnx and torch only when they need them.
"""

import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np
from signs import normalize, pictures

NIGHT = 0.25
"""Brightness at night, relative to the day."""

DOMAINS = ("", "ai.onnx", "com.microsoft")
OTHERS = (
    *(
        "QuantizeLinear",
        "DequantizeLinear",
        "DynamicQuantizeLinear",
        "Identity",
        "Constant",
        "Cast",
    ),
    *("BatchNormalization", "Relu", "Clip", "Add", "Mul", "Sub", "Div", "Sum", "QLinearAdd"),
    *("MaxPool", "AveragePool", "GlobalAveragePool", "ReduceMean", "QLinearGlobalAveragePool"),
    *("QLinearAveragePool", "QLinearReduceMean", "Flatten", "Reshape", "Squeeze", "Transpose"),
)
"""Other operators of quantized networks. None of them has a subgraph, or sums products as a
convolution does.
"""


def source():
    """Return the path of the trained network: ONNX, float32, any batch, with BatchNormalization."""
    import torch
    from resnet import load
    from torch_export import exported

    # In evaluation mode, the exporter would fold BatchNormalization.
    training = torch.onnx.TrainingMode.PRESERVE
    ends = ("pictures", "logits")
    example = torch.zeros(1, 3, 64, 64)
    return exported(load(), example, ends, training=training, do_constant_folding=False)


def calibration(seed, count):
    """Return the path of an .npz with calibration frames.

    "frames": uint8 [count, 64, 64, 3], RGB. "labels": int64 [count]. The first half is from a drive
    at night, the second from one by day; each is sorted by class.
    """
    frames, labels = pictures(seed, count)
    night = count // 2
    drives = (slice(0, night), slice(night, count))
    order = np.concatenate([d.start + np.argsort(labels[d], kind="stable") for d in drives])
    frames, labels = frames[order], labels[order]
    frames[:night] = (frames[:night] * NIGHT).astype(np.uint8)
    path = Path(tempfile.mkdtemp(prefix="quantization-")) / "calibration.npz"
    np.savez_compressed(path, frames=frames, labels=labels)
    return str(path)


def signs(seed, out):
    """Generate signs. out: float32 [n, 3, 64, 64], normalized."""
    out.numpy()[...] = normalize(_sampled(seed, len(out))[0])


def classes(seed, out):
    """Write the classes of the same signs. out: int64 [n]."""
    out.numpy()[...] = _sampled(seed, len(out))[1]


@lru_cache(maxsize=1)
def _sampled(seed, count):
    return pictures(seed, count)


def structure(path, before):
    """Report how the computing nodes of a model get their operands. before: its source.

    "computing": see `onnx_operands.operands`. "external": whether weights are in another file.
    "foreign": operators that no quantized network needs. "unlike": computing nodes whose weights
    are no layer's of the source.
    """
    import onnx
    from onnx_operands import COMPUTES, computing, operands
    from onnx_walk import alive
    from quantized_weights import Weights, unlike

    model, original = (onnx.load(file, load_external_data=False) for file in (path, before))
    graph = model.graph
    strange = [
        node
        for node in alive(graph)
        if node.op_type not in (*COMPUTES, *OTHERS) or node.domain not in DOMAINS
    ]
    weights, sources = Weights(graph), Weights(original.graph)
    return {
        "computing": operands(graph),
        "external": any(t.data_location == t.EXTERNAL for t in graph.initializer),
        "foreign": [*sorted({n.op_type for n in strange}), *(f.name for f in model.functions)],
        "unlike": unlike(
            [(node.name, weights.of(node)) for node in computing(graph)],
            [sources.of(node)[0] for node in original.graph.node if node.op_type in COMPUTES],
        ),
    }
