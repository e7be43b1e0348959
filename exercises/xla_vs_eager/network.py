"""A small CNN for 8×8 digits in JAX, its loss, and one step of training with momentum.

Everything is a pure function of its arguments, so that jax.jit may compile it. `logits` names its
layers nowhere yet: that is a task.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

CLASSES = 10
SIDE = 8
WIDTH = 8
RATE, MOMENTUM = 0.1, 0.9


def load_digits():
    """1797 handwritten digits: images float32 [n, 8, 8, 1] in 0 … 1, labels int32 [n]."""
    with np.load(Path(__file__).with_name("digits.npz")) as data:
        images = data["images"].astype(np.float32)[..., None] / 16
        return images, data["labels"].astype(np.int32)


def shapes(width=WIDTH):
    """Of the parameters, by name."""
    return {
        "conv1": (3, 3, 1, width),
        "bias1": (width,),
        "conv2": (3, 3, width, 2 * width),
        "bias2": (2 * width,),
        "head": (8 * width, CLASSES),
        "bias3": (CLASSES,),
    }


def initial(seed, width=WIDTH):
    """Parameters as training starts with them, numpy float32 by name."""
    draw = np.random.default_rng(seed).standard_normal
    return {
        name: (draw(shape) * np.sqrt(2 / np.prod(shape[:-1]))).astype(np.float32)
        if len(shape) > 1
        else np.zeros(shape, np.float32)
        for name, shape in shapes(width).items()
    }


def zeros_like(parameters):
    """The momentum as training starts with it."""
    return jax.tree.map(jnp.zeros_like, parameters)


def convolution(pictures, kernel):
    """3×3, padded: [n, h, w, c] and [3, 3, c, d] give [n, h, w, d]."""
    return jax.lax.conv_general_dilated(
        pictures, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def halved(pictures):
    """Means of 2×2 pixels."""
    n, h, w, c = pictures.shape
    return pictures.reshape(n, h // 2, 2, w // 2, 2, c).mean((2, 4))


def logits(parameters, images):
    """[n, 8, 8, 1] to [n, 10]."""
    p = parameters
    x = halved(jax.nn.gelu(convolution(images, p["conv1"]) + p["bias1"]))
    x = halved(jax.nn.gelu(convolution(x, p["conv2"]) + p["bias2"]))
    return x.reshape(x.shape[0], -1) @ p["head"] + p["bias3"]


def losses(parameters, images, labels):
    """Cross-entropy of each sample, [n]."""
    scores = jax.nn.log_softmax(logits(parameters, images))
    return -jnp.take_along_axis(scores, labels[:, None], axis=1)[:, 0]


def loss(parameters, images, labels):
    """Mean cross-entropy of a batch."""
    return losses(parameters, images, labels).mean()


def step(parameters, momentum, images, labels):
    """One step of training: new parameters, new momentum, loss before it."""
    value, gradients = jax.value_and_grad(loss)(parameters, images, labels)
    momentum = jax.tree.map(lambda m, g: MOMENTUM * m + g, momentum, gradients)
    parameters = jax.tree.map(lambda p, m: p - RATE * m, parameters, momentum)
    return parameters, momentum, value


def abstract(batch, width=WIDTH):
    """Shapes and dtypes of a step's arguments, for jax.jit(…).lower and jax.export."""
    tensors = {name: jax.ShapeDtypeStruct(s, jnp.float32) for name, s in shapes(width).items()}
    images = jax.ShapeDtypeStruct((batch, SIDE, SIDE, 1), jnp.float32)
    return tensors, dict(tensors), images, jax.ShapeDtypeStruct((batch,), jnp.int32)


def flat(*trees):
    """All numbers of some dicts of parameters in one vector, dict by dict, in `shapes`' order."""
    return np.concatenate([np.asarray(tree[name]).ravel() for tree in trees for name in shapes()])


def unflat(vector):
    """The dicts that `flat` has laid into a vector; width 8."""
    sizes = [int(np.prod(shape)) for shape in shapes().values()]
    trees, place = [], 0
    while place < len(vector):
        tree = {}
        for (name, shape), size in zip(shapes().items(), sizes, strict=True):
            tree[name] = vector[place : place + size].reshape(shape)
            place += size
        trees.append(tree)
    return trees


def export(function, arguments, path, donated=()):
    """Write what jax.jit makes of a function for these shapes to a file that others can run."""
    program = jax.export.export(jax.jit(function, donate_argnums=donated))(*arguments)
    Path(path).write_bytes(program.serialize())
