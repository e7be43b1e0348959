"""Guessed tokens: the text keeps its distribution, and when the guesses pay."""

from __future__ import annotations

import numpy as np


def accepted_and_corrected(target: np.ndarray, draft: np.ndarray) -> tuple[np.ndarray, float]:
    """The distribution of the token that is emitted, and the chance that the guess stands."""
    stands = np.minimum(target, draft)
    rest = np.maximum(target - draft, 0)
    rate = float(stands.sum())
    return stands + (1 - rate) * rest / rest.sum(), rate


def speedup(rate: float, guesses: int, cost: float) -> float:
    """Tokens a pass of the large model, over the cost of that pass and its guesses."""
    return (1 - rate ** (guesses + 1)) / (1 - rate) / (1 + guesses * cost)


def main() -> None:
    """Exactness, the formula against a simulation, and a table."""
    rng = np.random.default_rng(0)
    target, draft = rng.dirichlet(np.ones(50)), rng.dirichlet(np.ones(50))
    emitted, rate = accepted_and_corrected(target, draft)
    print(
        f"a guess stands in {rate:.0%} of cases; what is emitted is the target's distribution:",
        np.allclose(emitted, target),
    )
    assert np.allclose(emitted, target)

    stands = rng.random((200_000, 4)) < 0.8
    tokens = 1 + np.cumprod(stands, axis=1).sum(axis=1).mean()
    print(f"rate 0.8, 4 guesses: {tokens:.2f} tokens a pass, formula {(1 - 0.8**5) / 0.2:.2f}")
    assert abs(tokens - (1 - 0.8**5) / 0.2) < 0.02

    for rate in (0.5, 0.8, 0.9):
        found = {k: speedup(rate, k, 0.1) for k in range(1, 13)}
        best = max(found, key=lambda k: found[k])
        print(f"rate {rate}, a guess costs 0.1: best with {best} guesses, {found[best]:.2f} times")
    assert speedup(0.5, 8, 0.1) < speedup(0.5, 2, 0.1)
    busy = (1 - 0.8**5) / 0.2 / (5 + 4 * 0.1)
    print(f"compute-bound, each checked token costs a pass: {busy:.2f} times, a loss")
    assert busy < 1


if __name__ == "__main__":
    main()
