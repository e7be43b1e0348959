"""One training loop, healthy and with each of four sicknesses, on the module's network in JAX."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hotloop.core import paths

sys.path += paths.beside_notebook("xla_vs_eager")
import network

BATCH, STEPS = 64, 40
Step = Callable[..., Any]
State = tuple[Any, Any]


def healthy() -> tuple[Step, Iterator[tuple[Any, ...]]]:
    """The step under jax.jit, with batches of one size."""
    return jax.jit(network.step), batches(lambda _: BATCH)


def recompiles() -> tuple[Step, Iterator[tuple[Any, ...]]]:
    """A sampler that packs as many pictures as fit, so that each batch has a size of its own."""
    sizes = np.random.default_rng(1).permutation(np.arange(33, 33 + STEPS))
    return jax.jit(network.step), batches(lambda step: int(sizes[step]))


def op_by_op() -> tuple[Step, Iterator[tuple[Any, ...]]]:
    """The decorator was taken off to look for a bug, and is still off."""
    return network.step, batches(lambda _: BATCH)


def callback() -> tuple[Step, Iterator[tuple[Any, ...]]]:
    """An augmentation in numpy, called from the middle of the compiled step."""

    def shifted(pictures: Any) -> Any:
        pictures = np.asarray(pictures)
        places = np.random.default_rng(2).integers(-1, 2, len(pictures))
        return np.stack([np.roll(p, int(n), axis=1) for p, n in zip(pictures, places, strict=True)])

    def step(parameters: Any, momentum: Any, images: Any, labels: Any) -> Any:
        shape = jax.ShapeDtypeStruct(images.shape, images.dtype)
        images = jax.pure_callback(shifted, shape, images)
        return network.step(parameters, momentum, images, labels)

    return jax.jit(step), batches(lambda _: BATCH)


def baked() -> tuple[Step, Iterator[tuple[Any, ...]]]:
    """The whole data set is a global of the step, so that it is a constant of the program."""
    images, labels = map(jnp.asarray, network.load_digits())

    @jax.jit
    def step(parameters: Any, momentum: Any, places: Any) -> Any:
        return network.step(parameters, momentum, images[places], labels[places])

    draw = np.random.default_rng(3)
    return step, ((draw.integers(0, len(images), BATCH),) for _ in range(STEPS))


def batches(size: Callable[[int], int]) -> Iterator[tuple[Any, Any]]:
    """Pictures and labels, as many as the step's number says."""
    images, labels = network.load_digits()
    for step in range(STEPS):
        chosen = np.random.default_rng(step).integers(0, len(images), size(step))
        yield images[chosen], labels[chosen]
