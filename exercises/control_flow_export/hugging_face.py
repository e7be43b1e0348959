"""A transformers class with branches, as TorchScript and as an exported program: task 12."""

import routed
import torch
from torch import Tensor, nn


### TASK control_flow_export.hugging_face
def to_torchscript(seed, target):
    """Write load(seed) as TorchScript to `target`. Inputs and output are the source's."""
    raise NotImplementedError("control_flow_export.hugging_face")


def to_export(seed, target):
    """Write load(seed) as an exported program (torch.export.save) to `target`.

    n from 1 to 64 and length from 1 to 128 are free.
    """
    raise NotImplementedError("control_flow_export.hugging_face")
