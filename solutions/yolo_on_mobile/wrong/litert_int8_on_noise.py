"""Calibrates with noise, since ranges are ranges: what objects bring about is cut off.

fails: litert_int8.sees
"""

### BEGIN SOLUTION yolo_on_mobile.litert_int8
import tempfile

import detector
import numpy as np
from to_litert import to_litert

PICTURES = 50


def to_whole_numbers(calibration_path, target):
    """Write the detector to `target`, a .tflite file for 128×128 that computes in int8.

    calibration_path: an .npz with "pictures", uint8 [n, side, side, 3], red first.
    """
    from ai_edge_quantizer import quantizer, recipe

    with tempfile.TemporaryDirectory() as folder:
        to_litert(detector.SIDE, detector.SIDE, f"{folder}/floats.tflite")
        made = quantizer.Quantizer(f"{folder}/floats.tflite")
        made.load_quantization_recipe(recipe.static_wi8_ai8())
        ranges = made.calibrate({"serving_default": fed(calibration_path)}, num_threads=1)
        made.quantize(ranges).export_model(target, overwrite=True)


def fed(calibration_path):
    """Of the network's size, from 0 to 1."""
    generator = np.random.default_rng(0)
    size = (1, detector.SIDE, detector.SIDE, 3)
    return [{"args_0": generator.random(size, dtype=np.float32)} for _ in range(PICTURES)]


### END SOLUTION
