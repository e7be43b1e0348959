"""Calls a submission in its set's form. Runs in the candidate's process, and proves nothing there.

The judge hands over tensors and how they are put together; what comes back is one tensor.
"""

import functools
import importlib
import json
from pathlib import Path

import hotloop_without_gpu
import torch
from hotloop_structure import for_device, packed, rebuilt

hotloop_without_gpu.prepare(Path(__file__).parent)
read = functools.cache(json.loads)


def kernelbench(*call):
    """`ModelNew(*init)(*inputs)`, with weights from a seed as in KernelBench's own evaluation."""
    return _one(_kernelbench(*call))


def kernelbench_on_gpu(*call):
    """The same, with the result in less time and without its dtypes and shapes."""
    return for_device(_kernelbench(*call))


def gpu_mode(*call):
    """`custom_kernel(data)`, which may write to what it is given."""
    return packed(_gpu_mode(*call))


def gpu_mode_on_gpu(*call):
    """The same, as `kernelbench_on_gpu`."""
    return for_device(_gpu_mode(*call))


def _kernelbench(setup, given, weights, *tensors):
    model = _model(setup, weights, tensors[0].device if tensors else torch.device("cpu"))
    with torch.no_grad():
        return model(*rebuilt(read(given), tensors))


def _gpu_mode(_setup, given, _weights, *tensors):
    kernel = importlib.import_module("submission").custom_kernel
    return kernel(rebuilt(read(given), [tensor.clone() for tensor in tensors]))


@functools.cache
def _model(setup, weights, device):
    torch.manual_seed(weights)
    made = importlib.import_module("submission").ModelNew(*rebuilt(read(setup), []))
    return made.to(device)


def _one(result):
    """A tensor as it is; several as one."""
    return result if isinstance(result, torch.Tensor) else packed(result)
