"""The encoder as one graph, for any number of messages of any length: task 4."""

import encoder
import torch
from torch import nn


### TASK control_flow_export.export
def export(seed, target):
    """Write load(seed) as an exported program (torch.export.save) to `target`.

    Inputs in this order: tokens, int64 [n, length]; kind, int64 []. Out: float32 [n, 8].
    n from 1 to 64 and length from 1 to 128 are free.
    """
    raise NotImplementedError("control_flow_export.export")
