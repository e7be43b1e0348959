"""Draft trees: the right rule and two that are nearly right, and how many tokens a pass gives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAFT, TARGET = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.2, 0.35, 0.15, 0.3])


def outcome(rule: str, drafted: tuple[int, int], draft: Floats) -> Floats:
    """The distribution of the next token, for two siblings that were drafted."""
    p, q = TARGET.copy(), draft.copy()
    found, reach = np.zeros(len(p)), 1.0
    for token in drafted:
        chance = min(1.0, p[token] / q[token])
        found[token] += reach * chance
        reach *= 1 - chance
        if rule != "target again":
            p = np.maximum(p - q, 0.0)
        p = p / p.sum() if p.sum() else p
        if rule != "same draft":
            q[token] = 0.0
            q = q / q.sum()
    return found + reach * p


def rules() -> None:
    """Average over all pairs that are sampled without replacement."""
    print("target          " + " ".join(f"{share:.3f}" for share in TARGET))
    tokens = range(len(TARGET))
    for rule in ("residual", "same draft", "target again"):
        found = np.zeros(len(TARGET))
        for first in tokens:
            for second in (t for t in tokens if t != first):
                chance = DRAFT[first] * DRAFT[second] / (1 - DRAFT[first])
                found += chance * outcome(rule, (first, second), DRAFT)
        print(f"{rule:15} " + " ".join(f"{share:.3f}" for share in found))
        assert np.allclose(found, TARGET) == (rule == "residual")


def greedy_top_two() -> None:
    """Children that were not sampled: the two likeliest tokens, accepted with the target's p."""
    found, reach, p = np.zeros(len(TARGET)), 1.0, TARGET.copy()
    for token in (0, 1):
        found[token] += reach * p[token]
        reach *= 1 - p[token]
        p[token] = 0.0
        p = p / p.sum()
    found += reach * p
    print(f"two likeliest   {' '.join(f'{share:.3f}' for share in found)}")
    assert np.allclose(found, TARGET)


def tokens_of_a_pass(shares: list[float], widths: list[int]) -> float:
    """Expected tokens of a pass. shares: acceptance of the first, second, … sibling if reached."""
    total, reached = 1.0, 1.0
    for width in widths:
        reached *= 1 - float(np.prod([1 - share for share in shares[:width]]))
        total += reached
    return total


SHARES = [0.6, 0.4, 0.3, 0.2]
SHAPES = {
    "a chain of 8": [1] * 8,
    "2, then chains of 4": [2, 1, 1, 1],
    "2, 2, 1": [2, 2, 1],
    "4, then chains of 2": [4, 1],
}
"""Children of each accepted node, level by level."""


def shapes() -> None:
    """At siblings that are accepted with 0.6, 0.4, 0.3 and 0.2 of what reaches them."""
    for name, widths in SHAPES.items():
        nodes = int(np.cumprod(widths).sum())
        print(f"{name:20} {nodes:2} nodes: {tokens_of_a_pass(SHARES, widths):.2f} tokens of a pass")


if __name__ == "__main__":
    rules()
    greedy_top_two()
    shapes()
