"""The published ResNet-50 at 224 × 224, for a Jetson Nano: int8 with calibration, and a budget."""

import tempfile
from pathlib import Path

import numpy as np
import torch
from full_width import SIDE, settled

PICTURES, LOGITS = "pictures", "logits"

### TASK resnet_tensorrt.nano_resnet50 int8
def int8(seed, calibration_path, target):
    """Write `full_width.settled(seed)` to `target` as ONNX with calibrated 8-bit integers.

    Input `pictures`: float32 [1, 3, 224, 224], RGB, from -1 to 1. Output `logits`: float32
    [1, 1000]. Opset 13 at most. calibration_path: an .npz with "frames", uint8
    [n, 224, 224, 3], RGB.
    """
    raise NotImplementedError("resnet_tensorrt.nano_resnet50")


### TASK resnet_tensorrt.nano_resnet50 budget
def nano_budget(nodes, precision, board, deadline_ms):
    """Return latency, memory and whether both fit, by the model of jetson_nano.json.

    nodes: of an ONNX graph in order, each a dict with "op", "inputs" (names), "output"
    (a name), "shape" (the output's) and "weights" (shapes of what is stored). precision:
    "fp32" or "fp16". board: the table's "model".
    """
    raise NotImplementedError("resnet_tensorrt.nano_resnet50")
