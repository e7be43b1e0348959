"""The detector with its decoding as ONNX, for a TensorRT engine: one size, batches of any length.

Runs in a worker of ours, on the CPU, beside eager.py, the module's detector.py and its weights.
"""

import tempfile
import warnings
from pathlib import Path

import eager
import torch


class Decoded(torch.nn.Module):
    """Pictures to a table, as eager.py computes it."""

    def __init__(self):
        super().__init__()
        self.network = eager.NETWORK

    def forward(self, pictures):
        """float32 [n, 3, height, width] to [n, boxes, 5 + classes]."""
        return eager.table_of(pictures)


def write(height, width):
    """The path of the ONNX model."""
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
