"""Your exports: the network as ONNX for ONNX Runtime, for a Jetson Nano, and as a TensorRT engine.

A frame is what cv2.VideoCapture.read gives: bytes in BGR order, [height, width, 3].
"""

from pathlib import Path

import resnet
import signs
import torch
from torch import nn

FRAMES, PROBABILITIES = "frames", "probabilities"


### TASK resnet_tensorrt.export camera
# What comes before the network, and what comes after it?


### TASK resnet_tensorrt.export
def export(opset, target):
    """Write the trained network as ONNX in this opset to the path `target`.

    Input `frames`: uint8 [batch, 64, 64, 3], BGR, any batch. Output `probabilities`:
    float32 [batch, 10]. All in one file.
    """
    raise NotImplementedError("resnet_tensorrt.export")


### TASK resnet_tensorrt.jetson_nano camera
# As Camera, within the board's table.


### TASK resnet_tensorrt.jetson_nano
def export_for_nano(batch, target):
    """Write the network for TensorRT 8.2 on a Jetson Nano, as jetson_nano.json wants it.

    Input `frames`: float32 [batch, 64, 64, 3], BGR, 0 to 255, exactly `batch` of them.
    Output `probabilities`: float32 [batch, 10].
    """
    raise NotImplementedError("resnet_tensorrt.jetson_nano")


### TASK resnet_tensorrt.jetson_nano memory
def memory_for(path):
    """Bytes that the ONNX model at `path` needs: {"weights": …, "activations": …}.

    weights: of all initializers. activations: the most that live at one time, when the
    nodes run in the file's order, an output is there from when its node runs until its
    last reader has run, and the graph's input and output stay. All shapes are fixed.
    """
    raise NotImplementedError("resnet_tensorrt.jetson_nano")


### TASK resnet_tensorrt.engine half
def in_half(source, target):
    """Write the ONNX model at `source` to `target` with its arithmetic in float16.

    Names, shapes and types of inputs and outputs stay.
    """
    raise NotImplementedError("resnet_tensorrt.engine")


### TASK resnet_tensorrt.engine
def build_engine(source, precision, cache, target):
    """Build a TensorRT engine from the ONNX model at `source` and write it to `target`.

    precision: "fp32", "fp16" or "int8". cache: the path of a timing cache, which is read
    if it is there and written afterwards. Batches from 1 to 64, made for 32; at most 1 GiB
    of workspace. RuntimeError with the parser's messages when the model cannot be read.
    """
    raise NotImplementedError("resnet_tensorrt.engine")


### TASK resnet_tensorrt.engine types
# The types that the engine is to compute in stand in the model.


### TASK resnet_tensorrt.engine profile
# The batches that the engine is made for.


### TASK resnet_tensorrt.engine cache
# The timings of builds before this one.
