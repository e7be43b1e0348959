"""A batch that ends with its longest answer, and one that is filled up at every step."""

from __future__ import annotations

from collections import deque

import numpy as np


def together(lengths: list[int], slots: int) -> int:
    """Steps if a batch starts together and waits for its longest answer."""
    return sum(max(lengths[i : i + slots]) for i in range(0, len(lengths), slots))


def refilled(lengths: list[int], slots: int) -> int:
    """Steps if a finished sequence gives its slot to the next request at once."""
    waiting, running, steps = deque(lengths), list[int](), 0
    while waiting or running:
        while waiting and len(running) < slots:
            running.append(waiting.popleft())
        running = [left - 1 for left in running if left > 1]
        steps += 1
    return steps


def main() -> None:
    """Answers of 1 to 512 tokens, equally likely, in order of arrival."""
    rng = np.random.default_rng(0)
    lengths = [int(n) for n in rng.integers(1, 513, size=6400)]
    least = sum(lengths)
    for slots in (4, 16, 64):
        a, b = together(lengths, slots), refilled(lengths, slots)
        formula = 2 * slots / (slots + 1)
        print(
            f"{slots:2} slots: together {a} steps, refilled {b}: {a / b:.2f} times "
            f"(2n/(n+1) = {formula:.2f}); slots used {least / slots / a:.0%} and "
            f"{least / slots / b:.0%}"
        )
        assert abs(a / b / formula - 1) < 0.05
    assert least / 16 / refilled(lengths, 16) > 0.97
    short = [8] * 6400
    assert together(short, 16) == refilled(short, 16)
    print("equal answers: no difference")


if __name__ == "__main__":
    main()
