"""The network in eager PyTorch: reference and baseline of a converted one.

Runs in our own worker, beside the module's resnet.py and its weights. Destination style: the last
argument is filled.
"""

import torch
from resnet import load

NETWORK = load()


@torch.inference_mode()
def run(pictures, logits):
    """Compute logits.

    pictures: float32 [n, 3, height, width], normalized. logits: float32 [n, classes].
    """
    logits.copy_(NETWORK(pictures))
