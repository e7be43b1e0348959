"""The detector for LiteRT with bytes from end to end: weights, and what goes between the layers."""

### TASK yolo_on_mobile.litert_int8
def to_whole_numbers(calibration_path, target):
    """Write the detector to `target`, a .tflite file for 128×128 that computes in int8.

    calibration_path: an .npz with "pictures", uint8 [n, side, side, 3], red first.
    """
    raise NotImplementedError("yolo_on_mobile.litert_int8")
