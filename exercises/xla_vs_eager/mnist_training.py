"""One CNN on MNIST's 28×28 pixels, trained by eager PyTorch and by PyTorch/XLA.

Both take the same steps: gradient descent with momentum, over the files in their order. What
differs is when something is computed, and that XLA compiles first.
"""

import json
import math
import os
import statistics
import time
from pathlib import Path

# Read when torch_xla is imported. On a TPU it is TPU.
os.environ.setdefault("PJRT_DEVICE", "CPU")

import mnist
import numpy as np
import torch
import torch_xla
import torch_xla.debug.metrics as met
from torch_xla.core import xla_model

# XLA's device before the first backward pass, in which autograd makes a thread for each device.
DEVICES = {"eager": torch.device("cpu"), "xla": torch_xla.device()}
RATE, MOMENTUM = 0.05, 0.9
METRICS = ("CompileTime", "ExecuteTime")
"""Of torch_xla.debug.metrics: a sample for each graph that was compiled, and for each that ran."""

SHAPES = {
    "conv1": (8, 1, 3, 3),
    "bias1": (8,),
    "conv2": (16, 8, 3, 3),
    "bias2": (16,),
    "head": (784, 10),
    "bias3": (10,),
}


def parameters_of(vector):
    """The parameters in a float32 vector, one after the other, as tensors on the CPU."""
    sizes = [torch.Size(shape).numel() for shape in SHAPES.values()]
    parts = torch.from_numpy(np.asarray(vector, np.float32)).split(sizes)
    return {
        name: part.reshape(shape).clone()
        for (name, shape), part in zip(SHAPES.items(), parts, strict=True)
    }


def loss(p, images, labels):
    """Mean cross-entropy. images: float32 [n, 1, 28, 28] in 0 … 1. labels: int64 [n]."""
    x = images
    for kernel, bias in (("conv1", "bias1"), ("conv2", "bias2")):
        x = torch.relu(torch.nn.functional.conv2d(x, p[kernel], p[bias], padding=1))
        x = torch.nn.functional.avg_pool2d(x, 2)
    return torch.nn.functional.cross_entropy(x.flatten(1) @ p["head"] + p["bias3"], labels)


def step(p, momentum, images, labels):
    """New parameters, new momentum, and the loss before. On XLA's device they are pending."""
    leaves = {name: value.detach().requires_grad_() for name, value in p.items()}
    value = loss(leaves, images, labels)
    gradients = torch.autograd.grad(value, list(leaves.values()))
    with torch.no_grad():
        momentum = {
            name: MOMENTUM * momentum[name] + gradient
            for name, gradient in zip(leaves, gradients, strict=True)
        }
        return {name: p[name] - RATE * momentum[name] for name in p}, momentum, value.detach()


### TASK xla_vs_eager.mnist_cnn losses
def losses(images_path, labels_path, start_path, batch, kind):
    """Train once over two IDX files; the loss of each step, as a list of numbers.

    start_path: .npy, a vector of parameters; the momentum starts at 0. batch: images
    of a step; the last one has what is left. kind: "eager" or "xla".
    """
    raise NotImplementedError("xla_vs_eager.mnist_cnn")


### TASK xla_vs_eager.mnist_cnn record
def record(sizes):
    """Time a step of random images for each batch size, eagerly, then on XLA's device.

    Return a dict: `eager` and `xla`, the seconds of each step until its result is there;
    `before` and `after` the steps on XLA's device, [samples, nanoseconds] of METRICS.
    """
    raise NotImplementedError("xla_vs_eager.mnist_cnn")


### TASK xla_vs_eager.mnist_cnn split
def split(path):
    """Compile and execution time of a recording, and when XLA pays: see the notebook."""
    raise NotImplementedError("xla_vs_eager.mnist_cnn")
