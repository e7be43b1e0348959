"""Calibrates on the first frames of the recording: one class, and only by night.

fails: quantize.accurate
"""

### BEGIN SOLUTION resnet_tensorrt.quantize
from pathlib import Path

import numpy as np
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process
from signs import normalize

STEP, BATCH = 3, 16


class Frames(CalibrationDataReader):
    """Batches as the network will get them: normalized, from every part of the recording."""

    def __init__(self, path):
        with np.load(path) as recorded:
            frames = recorded["frames"][: 2 * BATCH]
        parts = (frames[first : first + BATCH] for first in range(0, len(frames), BATCH))
        self.batches = iter([{"pictures": normalize(part)} for part in parts])

    def get_next(self):
        return next(self.batches, None)


def quantize(source, calibration_path, target):
    """Write the network of the ONNX file `source` to `target`, with 8-bit integers.

    calibration_path: an .npz with "frames", uint8 [n, 64, 64, 3] in RGB order.
    """
    # First fold BatchNormalization: behind an integer convolution it would be float again.
    folded = Path(target).with_suffix(".folded.onnx")
    quant_pre_process(source, folded, skip_symbolic_shape=True)
    quantize_static(
        folded,
        target,
        Frames(calibration_path),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        # Unsigned by signed is the product that x86 has an instruction for.
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        calibrate_method=CalibrationMethod.MinMax,
    )


### END SOLUTION
