"""Calls a submission in its set's form. Runs in the candidate's process, and proves nothing there.

The judge hands over tensors and how they are put together; what comes back is one tensor.
"""

import functools
import importlib
import json
from pathlib import Path

import hotloop_without_gpu
import torch
from hotloop_structure import packed, rebuilt

hotloop_without_gpu.prepare(Path(__file__).parent)


def kernelbench(setup, given, weights, *tensors):
    """`ModelNew(*init)(*inputs)`, with weights from a seed as in KernelBench's own evaluation."""
    model = _model(setup, weights, tensors[0].device if tensors else torch.device("cpu"))
    with torch.no_grad():
        return _one(model(*rebuilt(json.loads(given), tensors)))


def gpu_mode(_setup, given, _weights, *tensors):
    """`custom_kernel(data)`, which may write to what it is given."""
    kernel = importlib.import_module("submission").custom_kernel
    return packed(kernel(rebuilt(json.loads(given), [tensor.clone() for tensor in tensors])))


@functools.cache
def _model(setup, weights, device):
    torch.manual_seed(weights)
    made = importlib.import_module("submission").ModelNew(*rebuilt(json.loads(setup), []))
    return made.to(device)


def _one(result):
    """A tensor as it is; several as float64, one behind the other."""
    if isinstance(result, torch.Tensor):
        return result
    return torch.cat([each.double().flatten() for each in result])
