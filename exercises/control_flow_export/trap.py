"""Inputs that a trace gets wrong, and one that it gets right: task 1."""

import json
from pathlib import Path

import encoder
import torch


### TASK control_flow_export.show_the_trap
def departures(seed, example_path):
    """Inputs for load(seed) as torch.jit.trace leaves it after the example, a JSON file.

    The example: {"tokens": [[…], …], "kind": …}. Returns a dict of such inputs, by name:
    "kind", "length", "exit": another way at this decision alone, and the trace is wrong.
    "agrees": the example's ways at all three, another length, and the trace is right.
    """
    raise NotImplementedError("control_flow_export.show_the_trap")
