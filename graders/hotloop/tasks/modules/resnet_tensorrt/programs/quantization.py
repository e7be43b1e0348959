"""Source, calibration frames and test signs for quantization, and the quantized file's structure.

Runs in our own workers, beside the module's resnet.py, signs.py and weights. `source`,
`calibration`, `signs` and `classes` never see a file of the candidate's; `structure` reads its
file, in a separate process. Functions import onnx and torch only when they need them.
"""

import tempfile
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
from graph_walk import alive, stored
from quantized_weights import Weights, unlike
from signs import normalize, pictures

FLOAT = ("Conv", "Gemm", "MatMul", "FusedConv", "FusedGemm")
INTEGER = ("QLinearConv", "QGemm", "QLinearMatMul")
DYNAMIC = ("ConvInteger", "MatMulInteger")
NIGHT = 0.25
"""Brightness at night, relative to the day."""

COMPUTES = (*FLOAT, *INTEGER, *DYNAMIC)
INT8 = ("INT8", "UINT8")
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

    path = _folder() / "network.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        torch.onnx.export(
            load(),
            (torch.zeros(1, 3, 64, 64),),
            path,
            dynamo=False,
            # In evaluation mode, the exporter would fold BatchNormalization.
            training=torch.onnx.TrainingMode.PRESERVE,
            do_constant_folding=False,
            input_names=["pictures"],
            output_names=["logits"],
            dynamic_axes={"pictures": {0: "n"}, "logits": {0: "n"}},
        )
    return str(path)


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
    path = _folder() / "calibration.npz"
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

    "computing": for each of them that the output needs, "op", "name", and the kind of its
    "activation" and "weight": "static" for integers whose scale is stored, "dynamic" for integers
    that are scaled in each call, or "float". "external": whether weights are in another file.
    "foreign": operators that no quantized network needs. "unlike": computing nodes whose weights
    are no layer's of the source.
    """
    import onnx

    model, original = (onnx.load(file, load_external_data=False) for file in (path, before))
    return _Reader(model.graph, onnx).described(original.graph) | {
        "external": any(t.data_location == t.EXTERNAL for t in model.graph.initializer),
        "foreign": _foreign(model),
    }


def _foreign(model):
    known = (*COMPUTES, *OTHERS)
    nodes = [n for n in alive(model.graph) if n.op_type not in known or n.domain not in DOMAINS]
    return [*sorted({node.op_type for node in nodes}), *(f.name for f in model.functions)]


class _Reader:
    def __init__(self, graph, onnx):
        self.graph, self.onnx = graph, onnx
        self.constants = stored(graph)
        self.makers = {name: node for node in graph.node for name in node.output}
        self.nodes = [node for node in alive(graph) if node.op_type in COMPUTES]
        self.type_name = onnx.TensorProto.DataType.Name

    def described(self, before):
        weights, sources = Weights(self.graph, self.onnx), Weights(before, self.onnx)
        originals = [sources.of(node)[0] for node in before.node if node.op_type in COMPUTES]
        layers = [(node.name, weights.of(node)) for node in self.nodes]
        return {
            "computing": [self._operands(node) for node in self.nodes],
            "unlike": unlike(layers, originals),
        }

    def _operands(self, node):
        if node.op_type in DYNAMIC:
            activation, weight = "dynamic", "static" if self._is_integer(node.input[1]) else "float"
        elif node.op_type in INTEGER:
            activation = "static" if self._is_constant(node.input[1]) else "dynamic"
            weight = "static" if self._is_integer(node.input[3]) else "float"
        else:
            activation, weight = self._activation(node.input[0]), self._weight(node.input[1])
        return {
            "op": node.op_type,
            "name": node.name,
            "activation": activation,
            "weight": weight,
        }

    def _activation(self, name):
        node = self.makers.get(name)
        if node is None or node.op_type != "DequantizeLinear":
            return "float"
        before = self.makers.get(node.input[0])
        if before is None or before.op_type != "QuantizeLinear":
            return "dynamic"
        if not self._gives_bytes(before):
            return "float"
        scales = (before.input[1], node.input[1])
        return "static" if all(map(self._is_constant, scales)) else "dynamic"

    def _gives_bytes(self, node):
        """Whether a QuantizeLinear outputs 8-bit integers, by the type of its zero point."""
        if len(node.input) > 2 and node.input[2]:
            return self._is_integer(node.input[2])
        return not any(a.name == "output_dtype" and a.i for a in node.attribute)

    def _weight(self, name):
        node = self.makers.get(name)
        if node is None or node.op_type != "DequantizeLinear":
            return "float"
        return "static" if self._is_integer(node.input[0]) else "float"

    def _is_constant(self, name):
        return name in self.constants

    def _is_integer(self, name):
        tensor = self.constants.get(name)
        return tensor is not None and self.type_name(tensor.data_type) in INT8


def _folder():
    return Path(tempfile.mkdtemp(prefix="quantization-"))
