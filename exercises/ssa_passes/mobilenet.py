"""MobileNetV1, as Paddle publishes it, rewritten, pruned and quantized by Paddle's own passes.

The network is paddle.vision.models.mobilenet_v1(scale=0.25, num_classes=4); its weights come in a
file of numpy's, under the names of its state_dict. A file that is written is a program: what
`paddle.jit.save` makes, .json and .pdiparams, together in a zip. It takes 16 pictures of 16×16.
"""

import contextlib
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import paddle
from paddle import nn
from paddle.incubate import asp
from paddle.quantization import PTQ, QuantConfig
from paddle.quantization.observers import AbsmaxObserver

BATCH, SIDE, CLASSES = 16, 16, 4


def network(path):
    """The published class with the weights of a file, for inference."""
    model = paddle.vision.models.mobilenet_v1(scale=0.25, num_classes=CLASSES)
    with np.load(path) as arrays:
        model.set_state_dict({name: paddle.to_tensor(array) for name, array in arrays.items()})
    model.eval()
    return model


def pictures_of(path):
    """Images float32 [n, 3, 16, 16] and labels int64 [n] of a file."""
    with np.load(path) as arrays:
        return arrays["images"], arrays["labels"]


def export(model, target):
    """Write the program that Paddle captures from a model."""
    spec = paddle.static.InputSpec([BATCH, 3, SIDE, SIDE], "float32", "image")
    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(model, f"{folder}/network", input_spec=[spec])
        packed(folder, target)


def packed(folder, target):
    """Zip network.json and network.pdiparams of a folder."""
    with zipfile.ZipFile(target, "w") as archive:
        for name in ("network.json", "network.pdiparams"):
            archive.write(Path(folder, name), name)


@contextlib.contextmanager
def static_mode():
    """In here Paddle builds and runs programs, in a scope of their own; it yields an executor."""
    paddle.enable_static()
    try:
        with paddle.static.scope_guard(paddle.static.Scope()):
            yield paddle.static.Executor(paddle.CPUPlace())
    finally:
        paddle.disable_static()


### TASK ssa_passes.mobilenet rewritten
def rewritten(path, target):
    """Write a program of the same function, without batch norms, by Paddle's passes."""
    raise NotImplementedError("ssa_passes.mobilenet")


### TASK ssa_passes.mobilenet pruned
def pruned(path, pictures, target):
    """Write the arrays, .npz, of the network 2:4 sparse by ASP, and trained again."""
    raise NotImplementedError("ssa_passes.mobilenet")


### TASK ssa_passes.mobilenet quantized
def quantized(path, pictures, target):
    """Write the network's program in int8 by PTQ, calibrated with the pictures."""
    raise NotImplementedError("ssa_passes.mobilenet")
