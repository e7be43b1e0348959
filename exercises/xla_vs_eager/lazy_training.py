"""The same steps of training in PyTorch/XLA, which records operations and compiles them later."""

import os

import torch

# Read when torch_xla is imported. On a TPU it is TPU.
os.environ.setdefault("PJRT_DEVICE", "CPU")

CLASSES, WIDTH = 10, 8
RATE, MOMENTUM = 0.1, 0.9
SHAPES = {
    "conv1": (3, 3, 1, WIDTH),
    "bias1": (WIDTH,),
    "conv2": (3, 3, WIDTH, 2 * WIDTH),
    "bias2": (2 * WIDTH,),
    "head": (8 * WIDTH, CLASSES),
    "bias3": (CLASSES,),
}
"""Of the parameters, as network.py lays them into a vector: kernels are [3, 3, in, out]."""


def unflat(vector):
    """Dicts of parameters from a vector, one after the other."""
    trees, place = [], 0
    while place < len(vector):
        tree = {}
        for name, shape in SHAPES.items():
            size = torch.Size(shape).numel()
            tree[name] = vector[place : place + size].reshape(shape)
            place += size
        trees.append(tree)
    return trees


def loss(p, images, labels):
    """Mean cross-entropy of network.py's CNN. images: [n, 8, 8, 1]. labels: int64 [n]."""
    x = images.permute(0, 3, 1, 2)
    for kernel, bias in (("conv1", "bias1"), ("conv2", "bias2")):
        x = torch.nn.functional.conv2d(x, p[kernel].permute(3, 2, 0, 1), p[bias], padding=1)
        x = torch.nn.functional.gelu(x, approximate="tanh")
        x = torch.nn.functional.avg_pool2d(x, 2)
    # network.py flattens with the channels last.
    scores = x.permute(0, 2, 3, 1).flatten(1) @ p["head"] + p["bias3"]
    return torch.nn.functional.cross_entropy(scores, labels)


### TASK xla_vs_eager.torch_xla_step
def train(images, labels, state, out):
    """Train over the batches on PyTorch/XLA's device, one step each.

    images: float32 [steps, batch, 8, 8, 1]. labels: float32 [steps, batch]. state, out:
    float32 vectors: parameters, then momentum. They lie on the CPU.
    """
    raise NotImplementedError("xla_vs_eager.torch_xla_step")


def step_hlo(batch):
    """The HLO text of one step's graph for so many images, before it is compiled."""
    raise NotImplementedError("xla_vs_eager.torch_xla_step")
