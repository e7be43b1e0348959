"""QLinear operators in place of QDQ, by a config object; normalizations are folded by hand in numpy."""


### BEGIN SOLUTION resnet_tensorrt.quantize
import tempfile
from pathlib import Path

import numpy as np
import onnx
import signs
from onnx import numpy_helper
from onnxruntime import quantization as quant


def folded(model):
    """Each BatchNormalization becomes part of the convolution before it."""
    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    for node in [n for n in graph.node if n.op_type == "Identity" and n.input[0] in stored]:
        # The exporter stores equal tensors once.
        stored[node.output[0]] = stored[node.input[0]]
    made = {name: node for node in graph.node for name in node.output}
    for norm in [n for n in graph.node if n.op_type == "BatchNormalization"]:
        conv = made[norm.input[0]]
        gamma, beta, mean, var = (numpy_helper.to_array(stored[n]) for n in norm.input[1:5])
        epsilon = next((a.f for a in norm.attribute if a.name == "epsilon"), 1e-5)
        scale = gamma / np.sqrt(var + epsilon)
        weight = numpy_helper.to_array(stored[conv.input[1]])
        before = numpy_helper.to_array(stored[conv.input[2]]) if len(conv.input) > 2 else 0.0
        parts = {
            "weight": weight * scale[:, None, None, None],
            "bias": beta + (before - mean) * scale,
        }
        names = [f"{norm.output[0]}_{part}" for part in parts]
        for name, values in zip(names, parts.values()):
            graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), name))
        conv.input[:] = [conv.input[0], *names]
        conv.output[0] = norm.output[0]
        graph.node.remove(norm)
    read = {name for node in graph.node for name in node.input}
    for tensor in [t for t in graph.initializer if t.name not in read]:
        graph.initializer.remove(tensor)
    return model


class Shuffled(quant.CalibrationDataReader):
    """Ninety-six frames of the whole recording, eight at a time."""

    def __init__(self, path):
        frames = np.load(path)["frames"]
        chosen = np.random.default_rng(1).choice(len(frames), 96, replace=False)
        self.parts = (frames[part] for part in batches_of(chosen, 8))

    def get_next(self):
        part = next(self.parts, None)
        return None if part is None else {"pictures": signs.normalize(part)}


def batches_of(chosen, size):
    for first in range(0, len(chosen), size):
        yield chosen[first : first + size]




def quantize(source, calibration_path, target):
    """Write the network of the ONNX file `source` to `target`, with 8-bit integers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "folded.onnx"
        onnx.save(folded(onnx.load(source)), path)
        quant.quantize(
            path,
            target,
            quant.StaticQuantConfig(
                calibration_data_reader=Shuffled(calibration_path),
                quant_format=quant.QuantFormat.QOperator,
                activation_type=quant.QuantType.QUInt8,
                weight_type=quant.QuantType.QInt8,
                per_channel=True,
                op_types_to_quantize=["Conv", "Gemm", "MatMul", "Add"],
            ),
        )


### END SOLUTION
