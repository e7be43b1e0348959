"""The signature is named in a chain of calls; weights become floats in the file, by weight-only."""


### BEGIN SOLUTION yolo_on_mobile.litert
import pathlib
import tempfile
from functools import partial

import detector
import torch

SMALL = "small"


def converted(height, width):
    from litert_torch import convert, to_channel_last_io

    network = to_channel_last_io(detector.load().requires_grad_(False), args=[0]).eval()
    return convert(network, (torch.zeros((1, height, width, 3)),))


def write(height, width, target, *, eight_bits):
    """Write the float file to `target`, or its form with 8-bit weights."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.tflite")
        converted(height, width).export(str(path))
        data = smaller(path) if eight_bits else path.read_bytes()
    pathlib.Path(target).write_bytes(data)


def smaller(path):
    from ai_edge_quantizer import qtyping, quantizer

    made = quantizer.Quantizer(str(path))
    made.update_quantization_recipe(
        regex=".*",
        operation_name=qtyping.TFLOperationName.ALL_SUPPORTED,
        op_config=qtyping.OpQuantizationConfig(
            weight_tensor_config=qtyping.TensorQuantizationConfig(
                num_bits=8, symmetric=True, granularity=qtyping.QuantGranularity.CHANNELWISE
            ),
            compute_precision=qtyping.ComputePrecision.FLOAT,
            explicit_dequantize=True,
        ),
    )
    return bytes(made.quantize().quantized_model)


to_litert = partial(write, eight_bits=False)
to_small_litert = partial(write, eight_bits=True)

### END SOLUTION
