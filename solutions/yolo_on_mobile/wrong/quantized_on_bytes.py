"""Calibrates with values from 0 to 255: ranges are made for pictures that never come.

fails: quantize.accurate
"""

### BEGIN SOLUTION yolo_on_mobile.quantize
import numpy as np
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)

STEP, BATCH = 3, 10


class Pictures(CalibrationDataReader):
    def __init__(self, path):
        with np.load(path) as recorded:
            pictures = recorded["pictures"][::STEP]
        fed = pictures.transpose(0, 3, 1, 2).astype(np.float32)
        parts = (fed[first : first + BATCH] for first in range(0, len(fed), BATCH))
        self.batches = iter([{"pictures": np.ascontiguousarray(part)} for part in parts])

    def get_next(self):
        return next(self.batches, None)


def quantize(source, calibration_path, target):
    """Write the detector of the ONNX file `source` to `target`, with 8-bit integers.

    calibration_path: an .npz with "pictures", uint8 [n, side, side, 3], red first.
    """
    quantize_static(
        source,
        target,
        Pictures(calibration_path),
        quant_format=QuantFormat.QDQ,
        # Only convolutions: what decodes has coordinates and probabilities in one tensor.
        op_types_to_quantize=["Conv"],
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )


### END SOLUTION
