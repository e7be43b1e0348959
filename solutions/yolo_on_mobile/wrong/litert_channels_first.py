"""Converts it as it comes, with the channels first.

fails: litert.file
"""

### BEGIN SOLUTION yolo_on_mobile.litert
import tempfile

import detector
import torch


def to_litert(height, width, target):
    """Write the detector to `target`, a .tflite file for pictures of this size."""
    import litert_torch

    picture = torch.zeros(1, 3, height, width)
    litert_torch.convert(detector.load(), (picture,)).export(target)


def to_small_litert(height, width, target):
    """The same with weights of eight bits, and floats between the layers."""
    from ai_edge_quantizer import quantizer, recipe

    with tempfile.TemporaryDirectory() as folder:
        to_litert(height, width, f"{folder}/floats.tflite")
        made = quantizer.Quantizer(f"{folder}/floats.tflite")
        made.load_quantization_recipe(recipe.dynamic_wi8_afp32())
        made.quantize().export_model(target, overwrite=True)


### END SOLUTION
