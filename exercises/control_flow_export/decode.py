"""The decoder's step with fixed shapes and places, ready for a CUDA graph: task 7."""

import math
from functools import cache

import decoder
import torch
from torch import nn

HEAD_WIDTH = decoder.WIDTH // decoder.HEADS
MESSAGES = 4


### TASK control_flow_export.decode_graphs
def export_step(seed, target):
    """Write one step of decoder.load(seed), for four answers, as an exported program.

    Inputs in this order, none of them of a free size: token, int64 [4]; place, int64 [];
    keys and values, float32 [3, 4, 4, 64, 16] each, which the step changes in place.
    Output: float32 [4, 256].
    """
    raise NotImplementedError("control_flow_export.decode_graphs")


### TASK control_flow_export.decode_graphs generate
def generate(seed, first, out):
    """Fill `out`, int64 [n, steps], as decoder.generate does; on a GPU by a CUDA graph."""
    raise NotImplementedError("control_flow_export.decode_graphs")
