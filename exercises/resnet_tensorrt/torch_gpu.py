"""ResNet-50 in PyTorch alone, as fast as a GPU allows: what an engine has to be faster than."""

from functools import cache

import torch
from full_width import CLASSES, DEVICE, SIDE, network
from torch import nn

### TASK resnet_tensorrt.torch_gpu
@torch.no_grad()
def logits(seed, frames, out):
    """Fill `out` with the logits of the network of this seed; see the notebook."""
    raise NotImplementedError("resnet_tensorrt.torch_gpu")


def _demonstrate() -> None:
    """`python torch_gpu.py` compares with the network as it was given."""
    frames = torch.randint(256, (2, SIDE, SIDE, 3), dtype=torch.uint8)
    got = torch.empty(2, CLASSES)
    logits(0, frames, got)
    with torch.no_grad():
        want = network(0)(frames[..., [2, 1, 0]].movedim(-1, 1).float() / 127.5 - 1)
    print("largest error", ((got - want).abs().max() / want.abs().max()).item())


if __name__ == "__main__":
    _demonstrate()
