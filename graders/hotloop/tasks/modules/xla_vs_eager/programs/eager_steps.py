"""The same steps op by op, as JAX runs what is not under jax.jit.

Each operation is a program of its own, compiled once; intermediate results go to memory.
"""

from __future__ import annotations

from typing import Any

import network
import numpy as np


def train(images: Any, labels: Any, state: Any, out: Any) -> None:
    """Train and fill `out`.

    images: float32 [steps, batch, 8, 8, 1]. state, out: parameters, then momentum.
    """
    parameters, momentum = network.unflat(np.array(state))
    for pictures, right in zip(np.array(images), np.array(labels).astype(np.int32), strict=True):
        parameters, momentum, _ = network.step(parameters, momentum, pictures, right)
    np.asarray(out)[...] = network.flat(parameters, momentum)


def copy(_images: Any, _labels: Any, state: Any, out: Any) -> None:
    """Copy the state and do nothing else."""
    np.asarray(out)[...] = np.asarray(state)
