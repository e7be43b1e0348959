"""Gives the file with 8-bit weights where floats were asked for.

fails: litert.runs
"""

### BEGIN SOLUTION yolo_on_mobile.litert
import tempfile

import detector
import torch


def to_litert(height, width, target):
    """Write the detector to `target`, a .tflite file for pictures of this size."""
    import litert_torch

    # Runtimes of phones are made for channels last, and so are cameras.
    last = litert_torch.to_channel_last_io(detector.load(), args=[0])
    picture = torch.zeros(1, height, width, 3)
    litert_torch.convert(last.eval(), (picture,)).export(target)
    from ai_edge_quantizer import quantizer, recipe

    made = quantizer.Quantizer(target)
    made.load_quantization_recipe(recipe.dynamic_wi8_afp32())
    made.quantize().export_model(target, overwrite=True)


def to_small_litert(height, width, target):
    """The same with weights of eight bits, and floats between the layers."""
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        to_litert(height, width, f"{folder}/floats.tflite")
        Path(target).write_bytes(Path(f"{folder}/floats.tflite").read_bytes())


### END SOLUTION
