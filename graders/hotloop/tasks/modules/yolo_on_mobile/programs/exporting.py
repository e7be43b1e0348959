"""Export the detector with its decoding to ONNX. Runs in one of the judge's workers on the CPU."""

import eager
import torch
from torch_export import exported


def write(height, width, any_batch=True):
    """Return the path of the model for images of one size, with any batch or of one image."""
    example = torch.zeros(2 if any_batch else 1, 3, height, width)
    ends = ("pictures", "table")
    return exported(eager.Decoded(), example, ends, any_batch=any_batch, opset_version=17)
