"""Converts it as it comes, with the channels first, and calibrates it so.

fails: litert_int8.file
"""

### BEGIN SOLUTION yolo_on_mobile.litert_int8
import tempfile

import detector
import numpy as np
import torch

STEP = 3


def to_whole_numbers(calibration_path, target):
    """Write the detector to `target`, a .tflite file for 128×128 that computes in int8.

    calibration_path: an .npz with "pictures", uint8 [n, side, side, 3], red first.
    """
    import litert_torch
    from ai_edge_quantizer import quantizer, recipe

    with tempfile.TemporaryDirectory() as folder:
        picture = torch.zeros(1, 3, detector.SIDE, detector.SIDE)
        litert_torch.convert(detector.load(), (picture,)).export(f"{folder}/floats.tflite")
        made = quantizer.Quantizer(f"{folder}/floats.tflite")
        made.load_quantization_recipe(recipe.static_wi8_ai8())
        ranges = made.calibrate({"serving_default": fed(calibration_path)}, num_threads=1)
        made.quantize(ranges).export_model(target, overwrite=True)


def fed(calibration_path):
    """As the network is fed, from every part of the recording."""
    with np.load(calibration_path) as recorded:
        pictures = recorded["pictures"][::STEP].transpose(0, 3, 1, 2)
    return [{"args_0": picture[None].astype(np.float32) / 255} for picture in pictures]


### END SOLUTION
