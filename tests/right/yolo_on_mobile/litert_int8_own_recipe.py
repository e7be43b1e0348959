"""A recipe rule by rule, with every fifth picture, and the bytes written by hand."""


### BEGIN SOLUTION yolo_on_mobile.litert_int8
import pathlib
import tempfile

import detector
import numpy as np
import torch


def to_whole_numbers(calibration_path, target):
    """Write the detector to `target`, a .tflite file for 128×128 that computes in int8."""
    import litert_torch
    from ai_edge_quantizer import qtyping, quantizer

    side = detector.SIDE
    network = litert_torch.to_channel_last_io(detector.load(), args=[0]).eval()
    with tempfile.TemporaryDirectory() as folder:
        floats = str(pathlib.Path(folder, "floats.tflite"))
        litert_torch.convert(network, (torch.zeros(1, side, side, 3),)).export(floats)
        made = quantizer.Quantizer(floats)
        tensor = qtyping.TensorQuantizationConfig
        made.update_quantization_recipe(
            regex=".*",
            operation_name=qtyping.TFLOperationName.ALL_SUPPORTED,
            op_config=qtyping.OpQuantizationConfig(
                activation_tensor_config=tensor(num_bits=8, symmetric=False),
                weight_tensor_config=tensor(
                    num_bits=8, symmetric=True, granularity=qtyping.QuantGranularity.CHANNELWISE
                ),
                compute_precision=qtyping.ComputePrecision.INTEGER,
            ),
        )
        recorded = np.load(calibration_path)["pictures"]
        some = (recorded[2::5] / np.float32(255)).astype(np.float32)
        ranges = made.calibrate({"serving_default": [{"args_0": x[None]} for x in some]})
        pathlib.Path(target).write_bytes(made.quantize(ranges).quantized_model)


### END SOLUTION
