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


### BEGIN SOLUTION xla_vs_eager.torch_xla_step
### STUB def train(images, labels, state, out):
### STUB     """Train over the batches on PyTorch/XLA's device, one step each.
### STUB
### STUB     images: float32 [steps, batch, 8, 8, 1]. labels: float32 [steps, batch]. state, out:
### STUB     float32 vectors: parameters, then momentum. They lie on the CPU.
### STUB     """
### STUB     raise NotImplementedError("xla_vs_eager.torch_xla_step")
### STUB
### STUB
### STUB def step_hlo(batch):
### STUB     """The HLO text of one step's graph for so many images, before it is compiled."""
### STUB     raise NotImplementedError("xla_vs_eager.torch_xla_step")
def step(parameters, momentum, images, labels):
    """New parameters and momentum, still pending: nothing has been computed."""
    leaves = {name: value.detach().requires_grad_() for name, value in parameters.items()}
    gradients = torch.autograd.grad(loss(leaves, images, labels), list(leaves.values()))
    with torch.no_grad():
        moved = {
            name: MOMENTUM * momentum[name] + gradient
            for name, gradient in zip(leaves, gradients, strict=True)
        }
        return {name: parameters[name] - RATE * moved[name] for name in moved}, moved


def train(images, labels, state, out):
    """Train over the batches on PyTorch/XLA's device, one step each.

    images: float32 [steps, batch, 8, 8, 1]. labels: float32 [steps, batch]. state, out:
    float32 vectors: parameters, then momentum. They lie on the CPU.
    """
    import torch_xla

    device = torch_xla.device()
    parameters, momentum = unflat(state.to(device))
    for pictures, right in zip(images, labels.long(), strict=True):
        parameters, momentum = step(parameters, momentum, pictures.to(device), right.to(device))
        # Without it all steps are one graph, and another number of steps is another one.
        torch_xla.sync()
    parts = [tree[name].flatten() for tree in (parameters, momentum) for name in SHAPES]
    out.copy_(torch.cat(parts).cpu())


def step_hlo(batch):
    """The HLO text of one step's graph for so many images, before it is compiled."""
    import torch_xla

    device = torch_xla.device()
    size = sum(torch.Size(shape).numel() for shape in SHAPES.values())
    parameters, momentum = unflat(torch.zeros(2 * size).to(device))
    images = torch.zeros(batch, 8, 8, 1).to(device)
    labels = torch.zeros(batch, dtype=torch.int64).to(device)
    torch_xla.sync()
    parameters, momentum = step(parameters, momentum, images, labels)
    return torch_xla._XLAC._get_xla_tensors_hlo([*parameters.values(), *momentum.values()])


### END SOLUTION
