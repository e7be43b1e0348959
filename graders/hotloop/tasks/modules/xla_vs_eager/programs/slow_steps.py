"""Steps of the learner's slow_training.py, each with several host transfers."""

from __future__ import annotations

from typing import Any

import network
import numpy as np
from slow_training import slow_step

NOT_FINITE = -1.0
"""Replaces a loss that is not finite, as in truth.py."""


def guarded_steps(vector: Any, images: Any, labels: Any, rate: Any, out: Any) -> None:
    """Run steps over the batches of [steps, batch, …].

    Fills `out` with the last loss, the rate, then the state.
    """
    parameters, momentum = network.unflat(np.array(vector))
    batches = zip(np.array(images), np.array(labels).astype(np.int32), strict=True)
    speed, value = np.float32(np.asarray(rate)[0]), NOT_FINITE
    for pictures, right in batches:
        parameters, momentum, speed, value = slow_step(parameters, momentum, pictures, right, speed)
    last = float(value) if np.isfinite(value) else NOT_FINITE
    first = np.array([last, float(speed)], np.float32)
    np.asarray(out)[...] = np.concatenate([first, network.flat(parameters, momentum)])
