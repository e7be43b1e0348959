"""The network in PyTorch, eagerly: what is right, and what a converted one has to be faster than.

Runs in a worker of ours, beside the module's resnet.py and its weights. Destination style: the
last argument is filled.
"""

import torch
from resnet import load

NETWORK = load()


@torch.inference_mode()
def run(pictures, logits):
    """pictures: float32 [n, 3, height, width], normalized. logits: float32 [n, classes]."""
    logits.copy_(NETWORK(pictures))
