"""The operator in ONNX Runtime, registered from Python: task 11.

onnxruntime_extensions brings a library of operators; one of them calls back into Python.
Slow, and enough to run a bare node before there is a kernel for it.
"""

import numpy as np
import onnxruntime
import onnxruntime_extensions as extensions
import reference
import torch

DOMAIN, NAME = "hotloop.lab", "SparseAttention"


### TASK sparse_attention_op.custom_op
def run(path, feeds_path, target):
    """Run the model at `path` on the arrays of an .npz file; write outputs as another."""
    raise NotImplementedError("sparse_attention_op.custom_op")
