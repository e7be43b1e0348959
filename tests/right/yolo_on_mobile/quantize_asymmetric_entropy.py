"""QDQ with signed activations and a percentile calibration over all pictures one by one."""


### BEGIN SOLUTION yolo_on_mobile.quantize
import numpy as np
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)


class OneByOne(CalibrationDataReader):
    def __init__(self, path):
        self.pictures = np.load(path)["pictures"][::2]
        self.rewind()

    def rewind(self):
        self.at = 0

    def get_next(self):
        if self.at >= len(self.pictures):
            return None
        picture = self.pictures[self.at].astype(np.float32).transpose(2, 0, 1)[None] / 255
        self.at += 1
        return {"pictures": picture}


def quantize(source, calibration_path, target):
    quantize_static(
        str(source),
        str(target),
        calibration_data_reader=OneByOne(calibration_path),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=["Conv"],
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        per_channel=True,
        calibrate_method=CalibrationMethod.MinMax,
        extra_options={"ActivationSymmetric": False, "CalibMovingAverage": True},
    )


### END SOLUTION
