"""`vlm.py` once more, for XLA: pure functions of a dict of arrays with the same names.

    loss(parameters, pictures, captions)
    step(parameters, velocity, pictures, captions) -> parameters, velocity, loss

Everything is float32; captions are int32 [N, 8], pictures [N, 3, 16, 16].
"""

import jax
from jax import numpy as jnp

LEARNING_RATE, MOMENTUM = 0.05, 0.9
WIDTH, PATCH = 32, 4
SHAPES = {
    "patch_place": (16, 32),
    "word_place": (8, 32),
    "log_scale": (1,),
    "patch.weight": (32, 48),
    "patch.bias": (32,),
    **{
        f"{block}.{name}": shape
        for block in ("see", "write")
        for name, shape in {
            "norm.weight": (32,),
            "norm.bias": (32,),
            "qkv.weight": (96, 32),
            "qkv.bias": (96,),
            "out.weight": (32, 32),
            "out.bias": (32,),
            "up.weight": (64, 32),
            "up.bias": (64,),
            "down.weight": (32, 64),
            "down.bias": (32,),
        }.items()
    },
    "word.weight": (16, 32),
    "text.weight": (32, 32),
    "text.bias": (32,),
    "head.weight": (16, 32),
    "head.bias": (16,),
}
"""The parameters' shapes, by PyTorch's names."""


def step(parameters, velocity, pictures, captions):
    """One step of gradient descent with momentum; the loss is that before it."""
    value, gradient = jax.value_and_grad(loss)(parameters, pictures, captions)
    velocity = {name: MOMENTUM * v + gradient[name] for name, v in velocity.items()}
    parameters = {name: p - LEARNING_RATE * velocity[name] for name, p in parameters.items()}
    return parameters, velocity, value


def loss(parameters, pictures, captions):
    """The contrastive loss of the batch, and the captions' mean loss."""
    patches = dense(parameters, "patch", cut(pictures)) + parameters["patch_place"]
    image = block(parameters, "see", patches, causal=False).mean(1)
    tokens = parameters["word.weight"][captions] + parameters["word_place"]
    read = unit(dense(parameters, "text", tokens.mean(1)))
    written = block(parameters, "write", tokens + image[:, None], causal=True)
    logits = dense(parameters, "head", written)[:, :-1]
    return contrastive(parameters, unit(image), read) + cross_entropy(logits, captions[:, 1:])


def contrastive(parameters, seen, read):
    """How badly each picture finds its caption among all of the batch, and the reverse."""
    similar = jnp.exp(parameters["log_scale"]) * seen @ read.T
    right = jnp.arange(len(seen))
    return (cross_entropy(similar, right) + cross_entropy(similar.T, right)) / 2


def block(parameters, name, x, *, causal):
    """Attention and a two-layer network, each added to what it was given: [N, T, WIDTH]."""
    qkv = dense(parameters, f"{name}.qkv", normalized(parameters, f"{name}.norm", x))
    query, key, value = jnp.split(qkv, 3, -1)
    scores = query @ key.transpose(0, 2, 1) / WIDTH**0.5
    if causal:
        length = x.shape[1]
        scores = jnp.where(jnp.triu(jnp.ones((length, length), bool), 1), -1e9, scores)
    x = x + dense(parameters, f"{name}.out", jax.nn.softmax(scores, -1) @ value)
    hidden = jax.nn.gelu(dense(parameters, f"{name}.up", x), approximate=True)
    return x + dense(parameters, f"{name}.down", hidden)


def normalized(parameters, name, x):
    """Layer norm, with PyTorch's epsilon."""
    centered = x - x.mean(-1, keepdims=True)
    deviation = jnp.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5)
    return centered / deviation * parameters[f"{name}.weight"] + parameters[f"{name}.bias"]


def dense(parameters, name, x):
    """Weights and bias: x Wᵀ + b."""
    return x @ parameters[f"{name}.weight"].T + parameters[f"{name}.bias"]


def unit(x):
    """Vectors of length 1."""
    return x / jnp.maximum(jnp.sqrt((x**2).sum(-1, keepdims=True)), 1e-12)


def cross_entropy(logits, right):
    """Mean of -log softmax at the right places."""
    logs = jax.nn.log_softmax(logits, -1)
    return -jnp.take_along_axis(logs, right[..., None], -1).mean()


def cut(pictures):
    """[N, 3, 16, 16] to [N, 16, 48]: the patches in reading order, each flattened."""
    number, side = len(pictures), 16 // PATCH
    parts = pictures.reshape(number, 3, side, PATCH, side, PATCH)
    return parts.transpose(0, 2, 4, 1, 3, 5).reshape(number, side * side, -1)
