"""The published ResNet-50 at 224 × 224, for a Jetson Nano: int8 with calibration, and a budget."""

import tempfile
from pathlib import Path

import numpy as np
import torch
from full_width import SIDE, settled

PICTURES, LOGITS = "pictures", "logits"

### BEGIN SOLUTION resnet_tensorrt.nano_resnet50 int8
### STUB def int8(seed, calibration_path, target):
### STUB     """Write `full_width.settled(seed)` to `target` as ONNX with calibrated 8-bit integers.
### STUB
### STUB     Input `pictures`: float32 [1, 3, 224, 224], RGB, from -1 to 1. Output `logits`: float32
### STUB     [1, 1000]. Opset 13 at most. calibration_path: an .npz with "frames", uint8
### STUB     [n, 224, 224, 3], RGB.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.nano_resnet50")
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)


class Frames(CalibrationDataReader):
    """Each frame as the network gets it."""

    def __init__(self, path):
        with np.load(path) as recorded:
            scaled = recorded["frames"].astype(np.float32) / 127.5 - 1
        self.frames = iter(np.ascontiguousarray(scaled.transpose(0, 3, 1, 2)))

    def get_next(self):
        frame = next(self.frames, None)
        return None if frame is None else {PICTURES: frame[None]}


def int8(seed, calibration_path, target):
    """Write `full_width.settled(seed)` to `target` as ONNX with calibrated 8-bit integers.

    Input `pictures`: float32 [1, 3, 224, 224], RGB, from -1 to 1. Output `logits`: float32 [1,
    1000]. Opset 13 at most. calibration_path: an .npz with "frames", uint8 [n, 224, 224, 3], RGB.
    """
    with tempfile.TemporaryDirectory() as folder:
        floats = str(Path(folder) / "floats.onnx")
        torch.onnx.export(
            settled(seed),
            (torch.zeros(1, 3, SIDE, SIDE),),
            floats,
            dynamo=False,  # the other exporter writes opset 18 or newer
            opset_version=13,
            input_names=[PICTURES],
            output_names=[LOGITS],
        )
        quantize_static(
            floats,
            target,
            Frames(calibration_path),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
        )


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.nano_resnet50 budget
### STUB def nano_budget(nodes, precision, board, deadline_ms):
### STUB     """Return latency, memory and whether both fit, by the model of jetson_nano.json.
### STUB
### STUB     nodes: of an ONNX graph in order, each a dict with "op", "inputs" (names), "output"
### STUB     (a name), "shape" (the output's) and "weights" (shapes of what is stored). precision:
### STUB     "fp32" or "fp16". board: the table's "model".
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.nano_resnet50")
def nano_budget(nodes, precision, board, deadline_ms):
    """Return latency, memory and whether both fit, by the model of jetson_nano.json.

    nodes: of an ONNX graph in order, each a dict with "op", "inputs" (names), "output" (a name),
    "shape" (the output's) and "weights" (shapes of what is stored). precision: "fp32" or "fp16".
    board: the table's "model".
    """
    width = {"fp32": 4, "fp16": 2}[precision]
    numbers = {"pictures": int(np.prod(board["input"]))}
    numbers |= {node["output"]: int(np.prod(node["shape"])) for node in nodes}
    seconds = stored = 0.0
    limited = 0
    for node in nodes:
        weights = sum(int(np.prod(shape)) for shape in node["weights"])
        moved = weights + numbers[node["output"]] + sum(numbers[name] for name in node["inputs"])
        flops = 0
        if node["op"] in ("Conv", "Gemm"):
            first = node["weights"][0]
            flops = 2 * numbers[node["output"]] * int(np.prod(first[1:]))
        arithmetic = flops / board["flops_per_s"][precision]
        memory = width * moved / board["bytes_per_s"]
        seconds += max(arithmetic, memory)
        limited += arithmetic > memory
        stored += width * weights
    peak = width * most_alive(nodes, numbers)
    needed = stored + peak + board["reserved_bytes"]
    latency_ms = 1000 * seconds
    return {
        "latency_ms": latency_ms,
        "memory_bytes": needed,
        "arithmetic_limited": limited,
        "fits": latency_ms <= deadline_ms and needed <= board["memory_bytes"],
    }


def most_alive(nodes, numbers):
    """Numbers that live at one time: a result from its node until its last reader has run."""
    last = {name: at for at, node in enumerate(nodes) for name in node["inputs"]}
    last |= {"pictures": len(nodes), nodes[-1]["output"]: len(nodes)}
    alive, most = {"pictures"}, 0
    for at, node in enumerate(nodes):
        alive.add(node["output"])
        most = max(most, sum(numbers[name] for name in alive))
        alive = {name for name in alive if last[name] > at}
    return most


### END SOLUTION
