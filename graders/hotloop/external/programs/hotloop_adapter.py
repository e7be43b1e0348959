"""Calls a submission in its set's form. Runs in the candidate's process, and proves nothing there.

The judge hands over tensors and how they are put together; what comes back is one tensor.
"""

import functools
import importlib
import inspect
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


def flashinfer(*call):
    """`run(*inputs)`, or `run(*inputs, *outputs)` of a submission that takes as many arguments."""
    return packed(_flashinfer(*call))


def flashinfer_on_gpu(*call):
    """The same, as `kernelbench_on_gpu`."""
    return for_device(_flashinfer(*call))


def _flashinfer(setup, given, _weights, *tensors):
    run = importlib.import_module("submission").run
    arguments, outputs = rebuilt(read(given), tensors), rebuilt(read(setup), [])
    if not _takes(run, len(arguments) + len(outputs)):
        return _in_order(run(*arguments))
    made = [torch.empty(shape, dtype=dtype, device=tensors[0].device) for shape, dtype in outputs]
    run(*arguments, *made)
    return made if len(made) > 1 else made[0]


@functools.cache
def _takes(run, count):
    return len(inspect.signature(run).parameters) == count


def _in_order(result):
    """A mapping of outputs is in the definition's order."""
    return list(result.values()) if isinstance(result, dict) else result


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
