"""The encoder in TorchScript, which is legacy and still in many products: task 2."""

import encoder
import torch
from torch import Tensor, nn


### TASK control_flow_export.script_it
def scripted(seed, target):
    """Write load(seed), scripted, to `target`. Inputs and output are the source's."""
    raise NotImplementedError("control_flow_export.script_it")
