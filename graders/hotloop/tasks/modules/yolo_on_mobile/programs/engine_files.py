"""Export the detector with decoding to ONNX for TensorRT: one image size, dynamic batch.

Runs in one of the judge's workers on the CPU, beside eager.py, detector.py and its weights.
"""

import tempfile
import warnings
from pathlib import Path

import eager
import torch


class Decoded(torch.nn.Module):
    """The detector with the decoding of eager.py."""

    def __init__(self):
        super().__init__()
        self.network = eager.NETWORK

    def forward(self, pictures):
        """Map float32 [n, 3, height, width] to [n, boxes, 5 + classes]."""
        return eager.table_of(pictures)


def write(height, width):
    """Write the ONNX model and return its path."""
    path = str(Path(tempfile.mkdtemp()) / "detector.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        torch.onnx.export(
            Decoded(),
            (torch.zeros(2, 3, height, width),),
            path,
            dynamo=False,
            opset_version=17,
            input_names=["pictures"],
            output_names=["table"],
            dynamic_axes={"pictures": {0: "n"}, "table": {0: "n"}},
        )
    return path
