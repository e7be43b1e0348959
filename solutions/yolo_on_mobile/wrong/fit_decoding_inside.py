"""Leaves the decoding in the file, which the delegate cannot take.

fails: fit.card
"""

### BEGIN SOLUTION yolo_on_mobile.fit
import json
import tempfile
import warnings
from pathlib import Path

import budget
import detector
import numpy as np
import onnx
import torch
from boxes import decode
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from torch.nn import functional


class Decoded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = network()

    def forward(self, pictures):
        return decode(*self.network(pictures), self.network.anchors)


LARGEST, TILE, STEP = 256, 32, 3


def fit(card_path, calibration_path, target):
    """Write the detector to `target`, as ONNX, such that it keeps to the card."""
    limits = json.loads(Path(card_path).read_text(encoding="utf-8"))["limits"]
    with tempfile.TemporaryDirectory() as folder:
        floats = f"{folder}/floats.onnx"
        for side in range(LARGEST, 0, -TILE):
            export(side, floats)
            # What activations take is seen before anything is quantized; weights come after it.
            costs = budget.audit(floats, card_path)
            if costs["peak_bytes"] > limits["peak_bytes"]:
                continue
            quantized(floats, calibration_path, side, target)
            return
    raise ValueError("no side keeps to the card")


def export(side, target):
    """The network without its decoding, for one picture of the side."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        torch.onnx.export(
            Decoded(),
            (torch.zeros(1, 3, side, side),),
            target,
            dynamo=False,
            opset_version=17,
            input_names=["pictures"],
            output_names=["table"],
        )


### END SOLUTION
