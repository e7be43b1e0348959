"""A step of PyTorch/XLA under PyTorch's profiler, which sees operators recorded, and XLA's."""

import gzip
import importlib.util
import json
import os
from pathlib import Path

# Read when torch_xla is imported. On a TPU it is TPU.
os.environ.setdefault("PJRT_DEVICE", "CPU")

import torch
import torch_xla
import torch_xla.debug.profiler as xp
from torch_xla.core import xla_model


def load(path):
    """The module in a file, which has begin(device), batch(number) and step(state, batch)."""
    spec = importlib.util.spec_from_file_location("given", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


### TASK xla_vs_eager.xla_profile record
def record(folder, steps, label, given):
    """Record so many steps of the module in the file `given`, with both profilers at once.

    Return two paths in `folder`: XLA's trace, a .trace.json.gz, and PyTorch's.
    """
    raise NotImplementedError("xla_vs_eager.xla_profile")


### TASK xla_vs_eager.xla_profile split
def split(path):
    """What each step of XLA's trace spends on what; the keys are in the notebook."""
    raise NotImplementedError("xla_vs_eager.xla_profile")
