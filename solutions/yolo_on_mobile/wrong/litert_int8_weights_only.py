"""Quantizes the weights alone: floats go between the layers, and integer units have none.

fails: litert_int8.file
"""

### BEGIN SOLUTION yolo_on_mobile.litert_int8
import tempfile

import detector
from to_litert import to_litert


def to_whole_numbers(calibration_path, target):
    """Write the detector to `target`, a .tflite file for 128×128 that computes in int8.

    calibration_path: an .npz with "pictures", uint8 [n, side, side, 3], red first.
    """
    from ai_edge_quantizer import quantizer, recipe

    with tempfile.TemporaryDirectory() as folder:
        to_litert(detector.SIDE, detector.SIDE, f"{folder}/floats.tflite")
        made = quantizer.Quantizer(f"{folder}/floats.tflite")
        made.load_quantization_recipe(recipe.dynamic_wi8_afp32())
        made.quantize().export_model(target, overwrite=True)


### END SOLUTION
