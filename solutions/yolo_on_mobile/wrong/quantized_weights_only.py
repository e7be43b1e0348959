"""Quantizes dynamically: scales are computed anew in each call, and integer units want fixed ones.

fails: quantize.sound
"""

### BEGIN SOLUTION yolo_on_mobile.quantize
from onnxruntime.quantization import QuantType, quantize_dynamic


def quantize(source, calibration_path, target):
    """Write the detector of the ONNX file `source` to `target`, with 8-bit integers.

    calibration_path: an .npz with "pictures", uint8 [n, side, side, 3], red first.
    """
    quantize_dynamic(source, target, weight_type=QuantType.QUInt8)


### END SOLUTION
