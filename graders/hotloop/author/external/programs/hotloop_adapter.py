"""Calls a submission as its set does. Runs in the candidate's process and is not trusted.

The judge passes tensors and a description of how the arguments nest; one tensor is returned.
"""

import functools
import importlib
import inspect
import json
from pathlib import Path

import torch
from hotloop_structure import for_device, known, packed, rebuilt
from hotloop_without_gpu import on_this_device, prepare

prepare(Path(__file__).parent)
read = functools.cache(json.loads)


def kernelbench(*call):
    """Return `ModelNew(*init)(*inputs)`, with weights from a seed as in KernelBench's own runs."""
    return _one(_kernelbench(*call))


def kernelbench_on_gpu(*call):
    """As `kernelbench`, but the result has no header with dtypes and shapes, which saves time."""
    return for_device(_kernelbench(*call))


def gpu_mode(*call):
    """Return `custom_kernel(data)`, which may write to its argument."""
    return packed(_gpu_mode(*call))


def gpu_mode_on_gpu(*call):
    """As `gpu_mode`, with a result like that of `kernelbench_on_gpu`."""
    return for_device(_gpu_mode(*call))


def flashinfer(*call):
    """Return `run(*inputs)`, or call `run(*inputs, *outputs)` if it takes that many arguments."""
    return packed(_flashinfer(*call))


def flashinfer_on_gpu(*call):
    """As `flashinfer`, with a result like that of `kernelbench_on_gpu`."""
    return for_device(_flashinfer(*call))


def robust_kbench(*call):
    """Return `forward_fn(*arguments)`, or `backward_fn(*arguments)` in a backward task."""
    return _one(_robust_kbench(*call))


def robust_kbench_on_gpu(*call):
    """As `robust_kbench`, with a result like that of `kernelbench_on_gpu`."""
    return for_device(_robust_kbench(*call))


def leetgpu(*call):
    """Call `solve(*arguments)`, which writes to some of them, and return those."""
    return packed(_leetgpu(*call))


def leetgpu_on_gpu(*call):
    """As `leetgpu`, with a result like that of `kernelbench_on_gpu`."""
    return for_device(_leetgpu(*call))


@on_this_device()
def _leetgpu(setup, given, _weights, *tensors):
    solve = importlib.import_module("submission").solve
    arguments = rebuilt(read(given), [tensor.clone() for tensor in tensors])
    solve(*arguments)
    outputs = [known(arguments[at]) for at in rebuilt(read(setup), [])]
    return outputs if len(outputs) > 1 else outputs[0]


def kernelbench_hard(*call):
    """Return `Model(*init)(*inputs)` with the reference's weights."""
    return packed(_kernelbench_hard(*call))


def kernelbench_hard_on_gpu(*call):
    """As `kernelbench_hard`, with a result like that of `kernelbench_on_gpu`."""
    return for_device(_kernelbench_hard(*call))


@on_this_device()
def _kernelbench_hard(setup, given, _weights, *tensors):
    device = tensors[0].device if tensors else torch.device("cpu")
    state, inputs = rebuilt(read(given), tensors)
    model = _hard_model(setup, device)
    model.load_state_dict(state, strict=True)
    with torch.no_grad():
        return model(*inputs)


@functools.cache
def _hard_model(setup, device):
    made = importlib.import_module("submission").Model(*rebuilt(read(setup), []))
    return made.to(device).eval()


@on_this_device()
def _robust_kbench(setup, given, _weights, *tensors):
    module, names = importlib.import_module("submission"), rebuilt(read(setup), [])
    name = next((each for each in names if hasattr(module, each)), names[0])
    arguments = rebuilt(read(given), [tensor.clone() for tensor in tensors])
    if "backward_fn" in names:  # the last argument is the judge's: those of the forward function
        arguments = arguments[:-1]
    with torch.no_grad():
        return getattr(module, name)(*arguments)


@on_this_device()
def _flashinfer(setup, given, _weights, *tensors):
    run = importlib.import_module("submission").run
    arguments, outputs = rebuilt(read(given), tensors), rebuilt(read(setup), [])
    if not _takes(run, len(arguments) + len(outputs)):
        return _in_order(run(*arguments))
    device = tensors[0].device if tensors else "cpu"
    made = [torch.empty(shape, dtype=dtype, device=device) for shape, dtype in outputs]
    run(*arguments, *made)
    return made if len(made) > 1 else made[0]


@functools.cache
def _takes(run, count):
    return len(inspect.signature(run).parameters) == count


def _in_order(result):
    """Return the values of a dict of outputs; other results unchanged."""
    return list(result.values()) if isinstance(result, dict) else result


@on_this_device()
def _kernelbench(setup, given, weights, *tensors):
    model = _model(setup, weights, tensors[0].device if tensors else torch.device("cpu"))
    with torch.no_grad():
        return model(*rebuilt(read(given), tensors))


@on_this_device()
def _gpu_mode(_setup, given, _weights, *tensors):
    kernel = importlib.import_module("submission").custom_kernel
    return kernel(rebuilt(read(given), [tensor.clone() for tensor in tensors]))


@functools.cache
def _model(setup, weights, device):
    torch.manual_seed(weights)
    made = importlib.import_module("submission").ModelNew(*rebuilt(read(setup), []))
    return made.to(device)


def _one(result):
    """Return a tensor unchanged; several tensors packed into one."""
    if isinstance(result, (tuple, list)) and len(result) == 1:
        (result,) = result
    return result if isinstance(result, torch.Tensor) else packed(result)
