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


### BEGIN SOLUTION ssa_passes.mobilenet rewritten
### STUB def rewritten(path, target):
### STUB     """Write a program of the same function, without batch norms, by Paddle's passes."""
### STUB     raise NotImplementedError("ssa_passes.mobilenet")
def rewritten(path, target):
    """Write a program of the same function, without batch norms, by Paddle's passes."""
    with tempfile.TemporaryDirectory() as folder:
        capture(network(path), folder)
        with loaded(folder) as program:
            manager = paddle.pir.PassManager()
            for name in PASSES:
                manager.add_pass(name, {})
            manager.run(program)
        pack(folder, target)


PASSES = (
    "depthwise_conv_onednn_pass",  # behind it a depthwise convolution is a conv2d, too
    "conv2d_bn_fuse_pass",
    "dead_code_elimination_pass",
)


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet passes_for_cpu
### STUB def passes_for_cpu():
### STUB     """Paddle's passes, by name and in order, that make inference fast on a CPU."""
### STUB     raise NotImplementedError("ssa_passes.mobilenet")
def passes_for_cpu():
    """Paddle's passes, by name and in order, that make inference fast on a CPU."""
    return [
        "depthwise_conv_onednn_pass",
        "conv2d_bn_onednn_fuse_pass",
        "conv2d_bias_bn_onednn_fuse_pass",
        "conv2d_bias_fuse_pass",
        "conv_activation_onednn_fuse_pass",  # last: it takes a convolution with its bias
    ]


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet pruned
### STUB def pruned(path, pictures, target):
### STUB     """Write the arrays, .npz, of the network 2:4 sparse by ASP, and trained again."""
### STUB     raise NotImplementedError("ssa_passes.mobilenet")
def pruned(path, pictures, target):
    """Write the arrays, .npz, of the network 2:4 sparse by ASP, and trained again."""
    images, labels = pictures_of(pictures)
    order = np.random.default_rng(0)
    rate = paddle.optimizer.lr.CosineAnnealingDecay(4e-3, EPOCHS * -(-len(images) // 64))
    with old_ir():
        model = network(path)
        optimizer = asp.decorate(paddle.optimizer.Adam(rate, parameters=model.parameters()))
        asp.prune_model(model, n=2, m=4, mask_algo="mask_1d")
        model.train()
        for _ in range(EPOCHS):
            for some in np.split(order.permutation(len(images)), range(64, len(images), 64)):
                scores = model(paddle.to_tensor(images[some]))
                nn.functional.cross_entropy(scores, paddle.to_tensor(labels[some])).backward()
                optimizer.step()
                optimizer.clear_grad()
                rate.step()
    np.savez(target, **{name: value.numpy() for name, value in model.state_dict().items()})


EPOCHS = 4


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet quantized
### STUB def quantized(path, pictures, target):
### STUB     """Write the network's arrays, .npz, in int8 by PTQ, calibrated with the pictures."""
### STUB     raise NotImplementedError("ssa_passes.mobilenet")
def quantized(path, pictures, target):
    """Write the network's arrays, .npz, in int8 by PTQ, calibrated with the pictures."""
    images, _ = pictures_of(pictures)
    observers = {"activation": AbsmaxObserver(quant_bits=8), "weight": AbsmaxObserver(quant_bits=8)}
    calibration = PTQ(QuantConfig(**observers))
    observed = calibration.quantize(network(path))
    with paddle.no_grad():
        for some in np.split(images, range(BATCH, len(images), BATCH)):
            observed(paddle.to_tensor(some))
    model = calibration.convert(observed)
    arrays = {name: value.numpy() for name, value in model.state_dict().items()}
    # PTQ has rounded the weights, and left them in float32.
    for name in arrays:
        if name.endswith(".weight") and arrays[name].ndim > 1:
            arrays[name] = arrays[name].astype("int8")
    np.savez(target, **arrays)


### END SOLUTION
