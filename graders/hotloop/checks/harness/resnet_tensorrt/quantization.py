"""What a network is quantized from, what it is tried on, and what it has become.

Runs in workers of ours, beside the module's resnet.py, signs.py and weights. `source`,
`calibration`, `signs` and `classes` never see anything of a candidate's; `structure` reads its
file, in a process of its own. onnx and torch are loaded by those that need them.
"""

import tempfile
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
from signs import normalize, pictures

FLOAT = ("Conv", "Gemm", "MatMul", "FusedConv", "FusedGemm")
INTEGER = ("QLinearConv", "QGemm", "QLinearMatMul")
DYNAMIC = ("ConvInteger", "MatMulInteger")
NIGHT = 0.25
"""Of the light by day."""

COMPUTES = (*FLOAT, *INTEGER, *DYNAMIC)
INT8 = ("INT8", "UINT8")


def source():
    """Path of the trained network in ONNX: float32, any batch, BatchNormalization still in it."""
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
            # The exporter would fold BatchNormalization by itself in evaluation mode.
            training=torch.onnx.TrainingMode.PRESERVE,
            do_constant_folding=False,
            input_names=["pictures"],
            output_names=["logits"],
            dynamic_axes={"pictures": {0: "n"}, "logits": {0: "n"}},
        )
    return str(path)


def calibration(seed, count):
    """Path of an .npz: "frames", uint8 [count, 64, 64, 3] in RGB order, as two drives gave them.

    The first half is from the night, the second from the day; on each drive one class comes after
    another. "labels", int64 [count], lie beside them.
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
    """out: float32 [n, 3, 64, 64], normalized."""
    out.numpy()[...] = normalize(_drawn(seed, len(out))[0])


def classes(seed, out):
    """out: int64 [n], what is on the same signs."""
    out.numpy()[...] = _drawn(seed, len(out))[1]


@lru_cache(maxsize=1)
def _drawn(seed, count):
    return pictures(seed, count)


def structure(path):
    """How the computing nodes of a model get their operands, in plain data.

    For each of them its "op" and "name", and of what kind its "activation" and its "weight" are:
    "static", that is integers whose scale stands in the file; "dynamic", integers that are scaled
    anew in each call; or "float". "external": whether weights lie in another file.
    """
    import onnx

    model = onnx.load(path, load_external_data=False)
    return _Reader(model.graph, onnx).described() | {
        "external": any(t.data_location == t.EXTERNAL for t in model.graph.initializer)
    }


class _Reader:
    def __init__(self, graph, onnx):
        self.graph = graph
        self.constants = {each.name: each for each in graph.initializer}
        self.makers = {name: node for node in graph.node for name in node.output}
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
                self.constants[node.output[0]] = node.attribute[0].t
        self.type_name = onnx.TensorProto.DataType.Name

    def described(self):
        nodes = [node for node in self.graph.node if node.op_type in COMPUTES]
        return {"computing": [self._operands(node) for node in nodes]}

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
        static = before is not None and before.op_type == "QuantizeLinear"
        return "static" if static and self._is_constant(before.input[1]) else "dynamic"

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
