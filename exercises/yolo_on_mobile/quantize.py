"""From float32 to 8-bit integers, without losing what the detector sees."""

### TASK yolo_on_mobile.quantize
def quantize(source, calibration_path, target):
    """Write the detector of the ONNX file `source` to `target`, with 8-bit integers.

    calibration_path: an .npz with "pictures", uint8 [n, side, side, 3], red first.
    """
    raise NotImplementedError("yolo_on_mobile.quantize")
