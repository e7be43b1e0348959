"""Run an exported program on the judge's tensors, and report XLA's memory plan.

Parameters are passed as one vector, in the order of network.shapes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import network
import numpy as np
from jax import export

PROGRAMS: list[Any] = []
LOADED: list[bytes] = []

NOT_FINITE = -1.0
"""Replaces a loss that is not finite, as in truth.py."""


def load(path: str) -> None:
    """Load the file for the functions below; an unchanged file is not compiled again."""
    data = Path(path).read_bytes()
    if [data] != LOADED:
        PROGRAMS[:] = [jax.jit(export.deserialize(bytearray(data)).call)]
        LOADED[:] = [data]


def reused_bytes(path: str, donated: int) -> int:
    """Return the bytes that XLA plans to reuse if the first `donated` arguments are donated."""
    program = export.deserialize(bytearray(Path(path).read_bytes()))
    function = jax.jit(program.call, donate_argnums=tuple(range(donated)))
    arguments = jax.tree.unflatten(program.in_tree, program.in_avals)[0]
    return function.lower(*arguments).compile().memory_analysis().alias_size_in_bytes


def padded(vector: Any, images: Any, labels: Any, count: Any, out: Any) -> None:
    """Fill `out` with loss and gradients of the first `count` samples, as one vector."""
    (parameters,) = network.unflat(np.asarray(vector))
    counted = np.int32(np.asarray(count)[0])
    value, gradients = PROGRAMS[0](parameters, np.asarray(images), _labels(labels), counted)
    _give(out, value, gradients)


def step(vector: Any, images: Any, labels: Any, out: Any) -> None:
    """Run one training step; fill `out` with the loss, then parameters and momentum."""
    parameters, momentum = network.unflat(np.asarray(vector))
    new, moved, value = PROGRAMS[0](parameters, momentum, np.asarray(images), _labels(labels))
    _give(out, value, new, moved)


def guarded(vector: Any, images: Any, labels: Any, rate: Any, out: Any) -> None:
    """Run one step of the task without host transfers, which also takes and returns the rate."""
    guarded_steps(vector, np.asarray(images)[None], np.asarray(labels)[None], rate, out)


def guarded_steps(vector: Any, images: Any, labels: Any, rate: Any, out: Any) -> None:
    """Run such steps over the batches of [steps, batch, …] without reading anything in between.

    Fills `out` with the last loss, the rate, parameters and momentum.
    """
    parameters, momentum = network.unflat(np.asarray(vector))
    rate, value = np.float32(np.asarray(rate)[0]), np.float32(NOT_FINITE)
    for pictures, right in zip(np.asarray(images), _labels(labels), strict=True):
        parameters, momentum, rate, value = PROGRAMS[0](parameters, momentum, pictures, right, rate)
    reported = np.float32(value) if np.isfinite(value) else np.float32(NOT_FINITE)
    _give(out, np.stack([reported, np.float32(rate)]), parameters, momentum)


def _labels(tensor: Any) -> np.ndarray[Any, Any]:
    """Convert labels, which are passed as float32, to int32."""
    return np.asarray(tensor).astype(np.int32)


def _give(out: Any, first: Any, *trees: Any) -> None:
    whole = np.concatenate([np.asarray(first, np.float32).ravel(), network.flat(*trees)])
    np.asarray(out)[...] = whole
