"""MobileNetV1, as Paddle publishes it, rewritten, pruned and quantized by Paddle's own passes.

The network is paddle.vision.models.mobilenet_v1(scale=0.25, num_classes=4); its arrays come in a
file of numpy's, under the names of its state_dict. A program is what `paddle.jit.save` writes,
.json and .pdiparams, together in a zip; this one takes 16 pictures of 16×16.
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


def capture(model, folder):
    """Write network.json and network.pdiparams into a folder."""
    spec = paddle.static.InputSpec([BATCH, 3, SIDE, SIDE], "float32", "image")
    paddle.jit.save(model, f"{folder}/network", input_spec=[spec])


def pack(folder, target):
    """Zip network.json and network.pdiparams of a folder."""
    with zipfile.ZipFile(target, "w") as archive:
        for name in ("network.json", "network.pdiparams"):
            archive.write(Path(folder, name), name)


@contextlib.contextmanager
def loaded(folder):
    """Yield the program of a folder, in static mode, and write it back at the end."""
    prefix = f"{folder}/network"
    paddle.enable_static()
    try:
        with paddle.static.scope_guard(paddle.static.Scope()):
            executor = paddle.static.Executor(paddle.CPUPlace())
            program, _, _ = paddle.static.load_inference_model(prefix, executor)
            yield program
            ops = program.global_block().ops
            feeds = [op.result(0) for op in ops if op.name() == "pd_op.data"]
            fetches = [op.operand_source(0) for op in ops if op.name() == "pd_op.fetch"]
            paddle.static.save_inference_model(prefix, feeds, fetches, executor, program=program)
    finally:
        paddle.disable_static()


@contextlib.contextmanager
def old_ir():
    """In here Paddle 3.3 is without PIR, which `asp.decorate` and its steps do not know yet."""
    with paddle.pir_utils.OldIrGuard():
        paddle.disable_static()
        yield


### TASK ssa_passes.mobilenet rewritten
def rewritten(path, target):
    """Write a program of the same function, without batch norms, by Paddle's passes."""
    raise NotImplementedError("ssa_passes.mobilenet")


### TASK ssa_passes.mobilenet passes_for_cpu
def passes_for_cpu():
    """Paddle's passes, by name and in order, that make inference fast on a CPU."""
    raise NotImplementedError("ssa_passes.mobilenet")


### TASK ssa_passes.mobilenet pruned
def pruned(path, pictures, target):
    """Write the arrays, .npz, of the network 2:4 sparse by ASP, and trained again."""
    raise NotImplementedError("ssa_passes.mobilenet")


### TASK ssa_passes.mobilenet quantized
def quantized(path, pictures, target):
    """Write the network's arrays, .npz, in int8 by PTQ, calibrated with the pictures."""
    raise NotImplementedError("ssa_passes.mobilenet")
