"""Quantizes dynamically: weights are integers, and every call scales its activations anew.

fails: quantize.sound
"""

### BEGIN SOLUTION resnet_tensorrt.quantize
from pathlib import Path

from onnxruntime.quantization import quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process


def quantize(source, calibration_path, target):
    folded = Path(target).with_suffix(".folded.onnx")
    quant_pre_process(source, folded, skip_symbolic_shape=True)
    quantize_dynamic(folded, target, per_channel=True)


### END SOLUTION
