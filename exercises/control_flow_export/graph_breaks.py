"""Where a graph breaks, and a model that breaks no more: task 3."""

import importlib.util

import torch
import triage
from torch import nn


### TASK control_flow_export.graph_breaks
def breaks(path):
    """Of a Python file with model() and example(): {"graphs": …, "lines": […]}.

    graphs: how many TorchDynamo makes of model()(*example()). lines: those of the file at
    which a graph breaks, ascending, each once.
    """
    raise NotImplementedError("control_flow_export.graph_breaks")


### TASK control_flow_export.graph_breaks one_graph
def mend(seed, target):
    """Write triage.load(seed) as one exported program to `target`: n from 1 to 64, length
    from 1 to 128. Inputs tokens and kind, output float32 [n, 8], as before.
    """
    raise NotImplementedError("control_flow_export.graph_breaks")
