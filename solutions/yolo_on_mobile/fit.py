"""The detector within the card of a device: every limit kept, and as much seen as that allows."""

### BEGIN SOLUTION yolo_on_mobile.fit
### STUB def fit(card_path, calibration_path, target):
### STUB     """Write the detector to `target`, as ONNX, such that it keeps to the card."""
### STUB     raise NotImplementedError("yolo_on_mobile.fit")
import tempfile
import warnings

import budget
import detector
import numpy as np
import onnx
import torch
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from torch.nn import functional

NAMES = ["small", "middle", "large"]
LARGEST, TILE, STEP = 256, 32, 3


def fit(card_path, calibration_path, target):
    """Write the detector to `target`, as ONNX, such that it keeps to the card."""
    with tempfile.TemporaryDirectory() as folder:
        floats = f"{folder}/floats.onnx"
        for side in range(LARGEST, 0, -TILE):
            export(side, floats)
            # What activations take is seen before anything is quantized; weights come after it.
            costs = budget.audit(floats, card_path)
            if set(costs["over"]) - {"bytes"}:
                continue
            quantized(floats, calibration_path, side, target)
            if not budget.audit(target, card_path)["over"]:
                return
    raise ValueError("no side keeps to the card")


def export(side, target):
    """The network without its decoding, for one picture of the side."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        torch.onnx.export(
            network(),
            (torch.zeros(1, 3, side, side),),
            target,
            dynamo=False,
            opset_version=17,
            input_names=["pictures"],
            output_names=NAMES,
        )


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.fit network
### STUB # Which stem does the delegate take?
def network():
    """The detector with its stem as one convolution of 6×6."""
    found = detector.load()
    stem = found.model[0].conv
    small = stem.conv.weight.data
    outputs, inputs, kernel, _ = small.shape
    inputs //= 4
    large = torch.zeros(outputs, inputs, 2 * kernel, 2 * kernel)
    for place, (right, down) in enumerate((r, d) for r in (0, 1) for d in (0, 1)):
        large[:, :, down::2, right::2] = small[:, place * inputs : (place + 1) * inputs]
    stem.conv = torch.nn.Conv2d(inputs, outputs, 2 * kernel, 2, 2 * (kernel // 2), bias=False)
    stem.conv.weight.data.copy_(large)
    found.model[0] = stem
    return found.eval()


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.fit weights
### STUB # How do the weights get small, and their floats not stand about?
class Pictures(CalibrationDataReader):
    """One picture after another, at the side that the network will be fed with."""

    def __init__(self, path, side):
        with np.load(path) as recorded:
            pictures = torch.from_numpy(recorded["pictures"][::STEP]).permute(0, 3, 1, 2) / 255
        fed = functional.interpolate(pictures, (side, side), mode="bilinear", antialias=True)
        self.left = iter([{"pictures": each[None].numpy()} for each in fed])

    def get_next(self):
        return next(self.left, None)


def quantized(source, calibration_path, side, target):
    quantize_static(
        source,
        target,
        Pictures(calibration_path, side),
        quant_format=QuantFormat.QDQ,
        # SiLU too, and what adds: floats in between would cost more than the bytes have won.
        op_types_to_quantize=["Conv", "Sigmoid", "Mul", "Add"],
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    model = onnx.load(target)
    sink(model.graph)
    onnx.save(model, target)


def sink(graph):
    """Each weight becomes floats directly before its convolution, and not at the beginning."""
    stored = {tensor.name for tensor in graph.initializer}
    late = {
        n.output[0]: n
        for n in graph.node
        if n.op_type == "DequantizeLinear" and n.input[0] in stored
    }
    nodes = []
    for node in graph.node:
        if node.output[0] in late:
            continue
        nodes += [late.pop(name) for name in node.input if name in late]
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


### END SOLUTION
