"""Two rewrites of ONNX graphs: normalizations into convolutions, and what does nothing out.

`python rewrites.py MODEL TARGET` does both.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper


### TASK resnet_tensorrt.fold_batchnorm
def fold_batchnorm(source, target):
    """Reads a model from `source`, and writes it to `target` with normalizations folded.

    The Conv gets a new weight and bias, and makes the tensor that the BatchNormalization
    made; that node, and the initializers that are no longer read, are gone. The notebook
    says when this is allowed.
    """
    raise NotImplementedError("resnet_tensorrt.fold_batchnorm")


### TASK resnet_tensorrt.fold_batchnorm pair
# Which Conv and BatchNormalization may become one?


### TASK resnet_tensorrt.fold_batchnorm numbers
# The new weight and bias.


### TASK resnet_tensorrt.remove_noops
def remove_noops(source, target):
    """Reads a model from `source`, and writes it to `target` without what does nothing.

    No Identity and no Dropout that only pass a tensor on, one Transpose where there were
    several, and none where they cancel. Names, types and order of the graph's inputs and
    outputs stay, and so do all other nodes.
    """
    raise NotImplementedError("resnet_tensorrt.remove_noops")


### TASK resnet_tensorrt.remove_noops nothing
# Which nodes only pass a tensor on, and which of them permute its axes?


### TASK resnet_tensorrt.remove_noops axes
# Which permutation do two of them give, one after the other?


### TASK resnet_tensorrt.remove_noops nodes
# The new nodes: which node makes each tensor that is needed, and under which name?


### TASK resnet_tensorrt.remove_noops outputs
# What has to be there because it is an output of the graph?

if __name__ == "__main__":
    source_path, target_path = (Path(argument) for argument in sys.argv[1:3])
    fold_batchnorm(source_path, target_path)
    remove_noops(target_path, target_path)
