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


### BEGIN SOLUTION ssa_passes.mobilenet rewritten
### STUB def rewritten(path, target):
### STUB     """Write a program of the same function, without batch norms, by Paddle's passes."""
### STUB     raise NotImplementedError("ssa_passes.mobilenet")
def rewritten(path, target):
    """Write a program of the same function, without batch norms, by Paddle's passes."""
    model = network(path)
    # Paddle's pass knows conv2d; a depthwise convolution is another operation there.
    for block in model.sublayers():
        if isinstance(block, nn.Sequential) and block[0]._groups > 1:
            fold(block)
    with tempfile.TemporaryDirectory() as folder:
        prefix = f"{folder}/network"
        spec = paddle.static.InputSpec([BATCH, 3, SIDE, SIDE], "float32", "image")
        paddle.jit.save(model, prefix, input_spec=[spec])
        with static_mode() as executor:
            program, _, _ = paddle.static.load_inference_model(prefix, executor)
            passes = paddle.pir.PassManager()
            for name in PASSES:
                passes.add_pass(name, {})
            passes.run(program)
            ops = program.global_block().ops
            feeds = [op.result(0) for op in ops if op.name() == "pd_op.data"]
            fetches = [op.operand_source(0) for op in ops if op.name() == "pd_op.fetch"]
            paddle.static.save_inference_model(prefix, feeds, fetches, executor, program=program)
        packed(folder, target)


PASSES = ("conv2d_bn_fuse_pass", "dead_code_elimination_pass")


def fold(block):
    """Put a block's batch norm into its convolution."""
    convolution, norm = block[0], block[1]
    factor = norm.weight / (norm._variance + norm._epsilon).sqrt()
    convolution.weight.set_value(convolution.weight * factor.reshape([-1, 1, 1, 1]))
    convolution.bias = convolution.create_parameter(norm.bias.shape, is_bias=True)
    convolution.bias.set_value(norm.bias - norm._mean * factor)
    block[1] = nn.Identity()


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet pruned
### STUB def pruned(path, pictures, target):
### STUB     """Write the arrays, .npz, of the network 2:4 sparse by ASP, and trained again."""
### STUB     raise NotImplementedError("ssa_passes.mobilenet")
def pruned(path, pictures, target):
    """Write the arrays, .npz, of the network 2:4 sparse by ASP, and trained again."""
    model = network(path)
    images, labels = pictures_of(pictures)
    optimizer = paddle.optimizer.Adam(1e-3, parameters=model.parameters())
    optimizer = asp.decorate(optimizer)
    asp.prune_model(model, n=2, m=4, mask_algo="mask_1d")
    model.train()
    order = np.random.default_rng(0)
    for _ in range(EPOCHS):
        for some in np.split(order.permutation(len(images)), range(64, len(images), 64)):
            scores = model(paddle.to_tensor(images[some]))
            nn.functional.cross_entropy(scores, paddle.to_tensor(labels[some])).backward()
            optimizer.step()
            optimizer.clear_grad()
    model.eval()
    np.savez(target, **{name: value.numpy() for name, value in model.state_dict().items()})


EPOCHS = 3


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet quantized
### STUB def quantized(path, pictures, target):
### STUB     """Write the network's program in int8 by PTQ, calibrated with the pictures."""
### STUB     raise NotImplementedError("ssa_passes.mobilenet")
def quantized(path, pictures, target):
    """Write the network's program in int8 by PTQ, calibrated with the pictures."""
    images, _ = pictures_of(pictures)
    observers = {"activation": AbsmaxObserver(quant_bits=8), "weight": AbsmaxObserver(quant_bits=8)}
    calibration = PTQ(QuantConfig(**observers))
    observed = calibration.quantize(network(path))
    with paddle.no_grad():
        for some in np.split(images, range(BATCH, len(images), BATCH)):
            observed(paddle.to_tensor(some))
    export(calibration.convert(observed), target)


### END SOLUTION
