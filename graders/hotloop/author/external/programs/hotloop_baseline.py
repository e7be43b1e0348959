"""The problem's own code as a baseline on a GPU: eager, and under torch.compile.

Runs in a trusted worker, and makes the same copies as a call of a submission.
"""

import functools
import json

import torch
from hotloop_form import WRITES, problem
from hotloop_structure import for_device, rebuilt

read = functools.cache(json.loads)


def eager(_setup, given, weights, *tensors):
    """Run the problem's code in eager mode. The last tensor is the output."""
    _call(_function(weights), given, *tensors)


def compiled(_setup, given, weights, *tensors):
    """Run it under torch.compile, in its default mode."""
    _call(_compiled(weights), given, *tensors)


def _call(function, given, *tensors):
    *inputs, out = tensors
    if WRITES:
        inputs = [tensor.clone() for tensor in inputs]
    arguments = rebuilt(read(given), inputs)
    with torch.no_grad():
        result = function(arguments)
    out.copy_(for_device(result))


@functools.cache
def _function(weights):
    return problem(0)[0].function(weights)


@functools.cache
def _compiled(weights):
    return torch.compile(_function(weights))
