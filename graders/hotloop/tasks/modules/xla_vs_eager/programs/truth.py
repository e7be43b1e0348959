"""The reference in float64, which never gets anything of the candidate's.

The network is implemented a second time, with loops over the nine taps of a convolution, so that
the reference does not share operators with the network that it checks.
"""

from __future__ import annotations

from typing import Any

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import network  # noqa: E402
import numpy as np  # noqa: E402

LIMIT = 1.0
"""Largest norm of the gradients; longer ones are scaled down."""

PATIENCE = 4.0
"""A loss above it halves the rate."""

SPREAD = 1e-3

NOT_FINITE = -1.0
"""Replaces a loss that is not finite, because NaN never compares equal."""


def _convolved(x: Any, kernel: Any) -> Any:
    h, w = x.shape[1:3]
    wide = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    taps = [
        wide[:, i : i + h, j : j + w] @ kernel[i, j]
        for i in range(kernel.shape[0])
        for j in range(kernel.shape[1])
    ]
    return sum(taps)


def _gelu(x: Any) -> Any:
    return 0.5 * x * (1 + jnp.tanh(jnp.sqrt(2 / jnp.pi) * (x + 0.044715 * x**3)))


def _halved(x: Any) -> Any:
    return (x[:, ::2, ::2] + x[:, 1::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, 1::2]) / 4


def _loss(p: Any, images: Any, labels: Any) -> Any:
    x = _halved(_gelu(_convolved(images, p["conv1"]) + p["bias1"]))
    x = _halved(_gelu(_convolved(x, p["conv2"]) + p["bias2"]))
    scores = x.reshape(len(x), -1) @ p["head"] + p["bias3"]
    top = scores.max(1)
    whole = top + jnp.log(jnp.exp(scores - top[:, None]).sum(1))
    return (whole - scores[jnp.arange(len(x)), labels]).mean()


_compiled = jax.jit(jax.value_and_grad(_loss))


def _gradients(parameters: Any, images: Any, labels: Any) -> tuple[Any, Any]:
    """Return mean loss and gradients, one sample at a time: one program for all batch sizes."""
    each = [_compiled(parameters, images[n : n + 1], labels[n : n + 1]) for n in range(len(images))]
    values, gradients = zip(*each, strict=True)
    return np.mean(values), {
        name: np.mean([gradient[name] for gradient in gradients], axis=0) for name in gradients[0]
    }


def _tree(vector: Any) -> Any:
    return network.unflat(np.asarray(vector, np.float64))


def _labels(tensor: Any) -> Any:
    return np.asarray(tensor).astype(np.int32)


def _give(out: Any, first: Any, *trees: Any) -> None:
    parts = [np.asarray(tree[name]).ravel() for tree in trees for name in network.shapes()]
    np.asarray(out)[...] = np.concatenate([np.asarray(first, np.float64).ravel(), *parts])


def unpadded(vector: Any, images: Any, labels: Any, count: Any, out: Any) -> None:
    """Fill `out` with loss and gradients of the first `count` samples only."""
    (parameters,) = _tree(vector)
    n = int(np.asarray(count)[0])
    value, gradients = _gradients(
        parameters, np.asarray(images, np.float64)[:n], _labels(labels)[:n]
    )
    _give(out, value, gradients)


def step(vector: Any, images: Any, labels: Any, out: Any) -> None:
    """Run one training step; fill `out` with the loss, parameters and momentum."""
    parameters, momentum = _tree(vector)
    value, gradients = _gradients(parameters, np.asarray(images, np.float64), _labels(labels))
    new, moved = _updated(parameters, momentum, gradients, network.RATE)
    _give(out, value, new, moved)


def guarded(vector: Any, images: Any, labels: Any, rate: Any, out: Any) -> None:
    """Run one step with everything that slow_training.py decides on the host."""
    guarded_steps(vector, np.asarray(images)[None], np.asarray(labels)[None], rate, out)


def guarded_steps(vector: Any, images: Any, labels: Any, rate: Any, out: Any) -> None:
    """Run such steps over the batches of [steps, batch, …].

    Fills `out` with the last loss, the rate, and the state.
    """
    parameters, momentum = _tree(vector)
    value, speed = NOT_FINITE, float(np.asarray(rate)[0])
    for pictures, right in zip(np.asarray(images, np.float64), _labels(labels), strict=True):
        parameters, momentum, value, speed = _guarded(parameters, momentum, pictures, right, speed)
    _give(out, np.array([value, speed]), parameters, momentum)


def _guarded(
    parameters: Any, momentum: Any, pictures: Any, labels: Any, speed: float
) -> tuple[Any, Any, float, float]:
    mean = pictures.mean((1, 2, 3), keepdims=True)
    spread = pictures.std((1, 2, 3), keepdims=True)
    value, gradients = _gradients(parameters, (pictures - mean) / (spread + SPREAD), labels)
    if not np.isfinite(value):
        return parameters, momentum, NOT_FINITE, speed
    norm = np.sqrt(sum(float((g**2).sum()) for g in gradients.values()))
    if norm > LIMIT:
        gradients = {name: g * (LIMIT / norm) for name, g in gradients.items()}
    if value > PATIENCE:
        speed /= 2
    return *_updated(parameters, momentum, gradients, speed), float(value), speed


def train(images: Any, labels: Any, vector: Any, out: Any) -> None:
    """Train over the batches of [steps, batch, …]; fill `out` with parameters and momentum.

    One program is compiled per batch size, because every call of a timed window is checked.
    """
    parameters, momentum = _tree(vector)
    for pictures, right in zip(np.asarray(images, np.float64), _labels(labels), strict=True):
        _, gradients = _compiled(parameters, pictures, right)
        parameters, momentum = _updated(parameters, momentum, gradients, network.RATE)
    _give(out, (), parameters, momentum)


def _updated(parameters: Any, momentum: Any, gradients: Any, rate: float) -> tuple[Any, Any]:
    moved = {name: network.MOMENTUM * momentum[name] + g for name, g in gradients.items()}
    return {name: parameters[name] - rate * moved[name] for name in moved}, moved
