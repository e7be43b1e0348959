"""Reading ONNX graphs: where two of them part, and what is in one.

`python graph_reading.py MODEL` prints the figures of a model.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

TOLERANCE = 1e-3


### TASK resnet_tensorrt.first_departure
def first_departure(reference_path, exported_path, feeds_path):
    """The name of the first tensor that departs in the exported model; None if all agree.

    feeds_path: an .npz file with the inputs, by name. Compared are the tensors that nodes
    of both models make, by name, in the order of the reference's nodes. One departs when
    its largest error exceeds TOLERANCE times the reference's largest absolute value in it.
    """
    raise NotImplementedError("resnet_tensorrt.first_departure")


### TASK resnet_tensorrt.read_graph
def read_graph(path, batch):
    """Seven figures of a graph, when it runs on `batch` samples.

    {"fusible": [[node, …], …], "blocked": {conv: reason}, "foldable": [node, …],
     "unused": [initializer, …], "parameter_bytes": int, "macs": int, "peak_bytes": int}

    Nodes are given by their names. What each figure means stands in the notebook.
    """
    raise NotImplementedError("resnet_tensorrt.read_graph")


### TASK resnet_tensorrt.read_graph chains
# Which nodes stand in a row, and may become one?


### TASK resnet_tensorrt.read_graph foldable
# Which nodes give the same in every run?


### TASK resnet_tensorrt.read_graph macs
# How many multiplications does one node take?


### TASK resnet_tensorrt.read_graph memory
# Which tensors live at one time, and what do they take?

if __name__ == "__main__":
    for figure, value in read_graph(Path(sys.argv[1]), batch=1).items():
        print(f"{figure}: {value}")
