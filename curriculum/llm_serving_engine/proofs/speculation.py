"""Speculative decoding on two small distributions: what each rule gives, and what it costs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAFT, TARGET = np.array([0.6, 0.3, 0.1]), np.array([0.3, 0.3, 0.4])
TRIALS = 200_000


def after_a_rejection(rng: np.random.Generator, shares: Floats) -> Floats:
    """How often each token comes where the replacement is sampled from `shares`."""
    drafted = rng.choice(3, TRIALS, p=DRAFT)
    accepted = rng.random(TRIALS) * DRAFT[drafted] < TARGET[drafted]
    found = np.where(accepted, drafted, rng.choice(3, TRIALS, p=shares))
    return np.bincount(found, minlength=3) / TRIALS


def rules() -> None:
    """Three ways to replace a rejected token."""
    rng = np.random.default_rng(0)
    residual = np.maximum(TARGET - DRAFT, 0)
    residual /= residual.sum()
    print("target             0.300 0.300 0.400")
    for name, shares in (("residual", residual), ("target itself", TARGET)):
        found = after_a_rejection(rng, shares)
        print(f"{name:18} " + " ".join(f"{share:.3f}" for share in found))
    accepted = float(np.minimum(DRAFT, TARGET).sum())
    exact = np.minimum(DRAFT, TARGET) + (1 - accepted) * TARGET
    print(f"accepted: {accepted:.0%}; with the target itself: {np.round(exact, 3).tolist()}")
    assert np.allclose(np.minimum(DRAFT, TARGET) + (1 - accepted) * residual, TARGET)


def expected(alpha: float, k: int) -> float:
    """Tokens of a pass of the target: accepted ones and the one after them."""
    return (1 - alpha ** (k + 1)) / (1 - alpha)


def gains() -> None:
    """At a draft that costs 5 % of a pass.

    Where memory is the limit, more tokens in a pass are free. Where arithmetic is, each costs a
    pass of its own; between the limits, a share of one.
    """
    cost: Callable[[int, float], float] = lambda k, token: 1 + k * (0.05 + token)  # noqa: E731
    for alpha in (0.8, 0.5):
        for token, when in ((0.0, "memory-bound"), (0.3, "in between"), (1.0, "compute-bound")):
            speed = [expected(alpha, k) / cost(k, token) for k in (2, 4, 8)]
            said = ", ".join(f"k={k} {s:.2f}x" for k, s in zip((2, 4, 8), speed, strict=True))
            print(f"accepting {alpha:.0%}, {when}: {said}")
            assert token < 1 or max(speed) < 1, "k + 1 passes' work for at most k + 1 tokens"


if __name__ == "__main__":
    rules()
    gains()
