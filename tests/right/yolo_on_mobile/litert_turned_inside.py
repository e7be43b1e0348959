"""The layout is turned by a module of its own, and the quantizer has a recipe written out by hand."""


### BEGIN SOLUTION yolo_on_mobile.litert
import os
import tempfile

import detector
import torch


class ChannelsLast(torch.nn.Module):
    """float32 [1, height, width, 3] to the head's three maps."""

    def __init__(self):
        super().__init__()
        self.network = detector.load()

    def forward(self, picture):
        return self.network(torch.permute(picture, (0, 3, 1, 2)))


def to_litert(height, width, target):
    """Write the detector to `target`, a .tflite file for pictures of this size."""
    import litert_torch

    example = torch.rand(1, height, width, 3)
    edge = litert_torch.convert(ChannelsLast().eval(), sample_kwargs={"picture": example})
    edge.export(str(target))


RECIPE = [
    {
        "regex": ".*",
        "operation": "*",
        "algorithm_key": "min_max_uniform_quantize",
        "op_config": {
            "weight_tensor_config": {
                "num_bits": 8,
                "symmetric": True,
                "granularity": "CHANNELWISE",
                "dtype": "INT",
            },
            "compute_precision": "INTEGER",
            "explicit_dequantize": False,
            "skip_checks": False,
            "min_weight_elements": 0,
        },
    }
]


def to_small_litert(height, width, target):
    """The same with weights of eight bits, and floats between the layers."""
    from ai_edge_quantizer.quantizer import Quantizer

    handle, floats = tempfile.mkstemp(suffix=".tflite")
    os.close(handle)
    try:
        to_litert(height, width, floats)
        result = Quantizer(floats, RECIPE).quantize()
        with open(target, "wb") as file:
            file.write(result.quantized_model)
    finally:
        os.remove(floats)


### END SOLUTION
