"""Runs an exported program on the judge's tensors, and tells what XLA makes of its memory.

Parameters travel as one vector, in the order of network.shapes.
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
"""As in truth.py."""


def load(path: str) -> None:
    """What is in the file is what the functions below call; compiled once, if it is the same."""
    data = Path(path).read_bytes()
    if [data] != LOADED:
        PROGRAMS[:] = [jax.jit(export.deserialize(bytearray(data)).call)]
        LOADED[:] = [data]


def memory(path: str, donated: int) -> dict[str, int]:
    """Bytes that XLA plans for the program, with its first `donated` arguments given away."""
    program = export.deserialize(bytearray(Path(path).read_bytes()))
    given = jax.jit(program.call, donate_argnums=tuple(range(donated)))
    arguments = jax.tree.unflatten(program.in_tree, program.in_avals)[0]
    planned = given.lower(*arguments).compile().memory_analysis()
    return {
        "arguments": planned.argument_size_in_bytes,
        "results": planned.output_size_in_bytes,
        "aliased": planned.alias_size_in_bytes,
    }


def padded(vector: Any, images: Any, labels: Any, count: Any, out: Any) -> None:
    """Loss and gradients of the first `count` of the samples, as one vector."""
    (parameters,) = network.unflat(_array(vector))
    counted = np.int32(_array(count)[0])
    value, gradients = PROGRAMS[0](parameters, _array(images), _labels(labels), counted)
    _give(out, value, gradients)


def step(vector: Any, images: Any, labels: Any, out: Any) -> None:
    """One step of training: parameters and momentum, then the loss."""
    parameters, momentum = network.unflat(_array(vector))
    new, moved, value = PROGRAMS[0](parameters, momentum, _array(images), _labels(labels))
    _give(out, value, new, moved)


def guarded(vector: Any, images: Any, labels: Any, rate: Any, out: Any) -> None:
    """One step of the task that takes the host out: also the rate goes through it."""
    guarded_steps(vector, _array(images)[None], _array(labels)[None], rate, out)


def guarded_steps(vector: Any, images: Any, labels: Any, rate: Any, out: Any) -> None:
    """As many of them as there are batches in [steps, batch, …]; nothing is read in between."""
    parameters, momentum = network.unflat(_array(vector))
    rate, value = np.float32(_array(rate)[0]), np.float32(NOT_FINITE)
    for pictures, right in zip(_array(images), _labels(labels), strict=True):
        parameters, momentum, rate, value = PROGRAMS[0](parameters, momentum, pictures, right, rate)
    told = np.float32(value) if np.isfinite(value) else np.float32(NOT_FINITE)
    _give(out, np.stack([told, np.float32(rate)]), parameters, momentum)


def _array(tensor: Any) -> np.ndarray[Any, Any]:
    return np.asarray(tensor)


def _labels(tensor: Any) -> np.ndarray[Any, Any]:
    """Labels travel as float32, which holds small integers exactly."""
    return np.asarray(tensor).astype(np.int32)


def _give(out: Any, first: Any, *trees: Any) -> None:
    whole = np.concatenate([np.asarray(first, np.float32).ravel(), network.flat(*trees)])
    np.asarray(out)[...] = whole
