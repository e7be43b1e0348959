"""Top-k by halving a threshold's bits: it finds what a sort finds, and what it reads."""

from __future__ import annotations

import numpy as np

ROWS, VOCABULARY, BYTES = 256, 128 * 1024, 4
BANDWIDTH = 3.35e12
"""Bytes a second of an H100's memory."""


def halved(p: np.ndarray, count: int) -> tuple[float, int]:
    """The largest threshold that keeps `count` tokens, and how often tokens were counted."""
    low, high, rounds = 0, int(np.float32(1.0).view(np.int32)), 0
    while low < high:
        middle = (low + high + 1) // 2
        threshold = np.int32(middle).view(np.float32)
        low, high = (middle, high) if (p >= threshold).sum() >= count else (low, middle - 1)
        rounds += 1
    return float(np.int32(low).view(np.float32)), rounds


def agree() -> None:
    """On rows of many shapes, against a sort."""
    rng, most = np.random.default_rng(0), 0
    for trial in range(300):
        p = rng.dirichlet(np.full(1000, rng.uniform(0.02, 3.0))).astype(np.float32)
        count = int(rng.integers(1, 1000))
        threshold, rounds = halved(p, count)
        assert threshold == np.sort(p)[::-1][count - 1], trial
        most = max(most, rounds)
    print(f"300 rows: the threshold is the k-th largest probability, after at most {most} counts")


def traffic() -> None:
    """One pass, and one for each count."""
    once = ROWS * VOCABULARY * BYTES
    for name, passes in (("one read", 1), ("a radix sort of pairs", 4 * 4), ("62 reads", 62)):
        ms = 1e3 * passes * once / BANDWIDTH
        print(f"{name:28} {passes * once / 2**30:5.2f} GiB, {ms:5.2f} ms at 3.35 TB/s")


def ties() -> None:
    """Two ways to cut where probabilities are equal."""
    p = np.array([0.4, 0.2, 0.2, 0.2])
    kept = int((p >= np.sort(p)[::-1][1]).sum())
    print(f"top-k of 2 among 0.4, 0.2, 0.2, 0.2: a threshold keeps {kept} tokens, a sort keeps 2")


if __name__ == "__main__":
    agree()
    traffic()
    ties()
