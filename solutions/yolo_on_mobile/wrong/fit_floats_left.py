"""Chooses the side, and leaves the weights as floats.

fails: fit.card
"""

### BEGIN SOLUTION yolo_on_mobile.fit
import tempfile
import warnings
from pathlib import Path

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
            Path(target).write_bytes(Path(floats).read_bytes())
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
