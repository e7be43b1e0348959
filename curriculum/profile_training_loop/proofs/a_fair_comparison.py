"""What order, noise and choosing do to a comparison whose truth is known."""

from __future__ import annotations

import numpy as np

TRUE = 1 / 0.95  # B takes 95 % of A's time


def times(order: str, drift: float) -> dict[str, list[float]]:
    """Milliseconds of each run on a machine that slows down by `drift` with each run."""
    found: dict[str, list[float]] = {"A": [], "B": []}
    for run, which in enumerate(order):
        found[which].append((100.0 if which == "A" else 95.0) * (1 + drift * run))
    return found


def ratio(found: dict[str, list[float]]) -> float:
    """How many times as fast B is."""
    return float(np.mean(found["A"]) / np.mean(found["B"]))


# --8<-- [start:interval]
def interval(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """95 % bootstrap interval of the ratio of medians, over blocks that were measured together."""
    picks = rng.integers(0, len(a), size=(2000, len(a)))
    ratios = np.median(a[picks], axis=1) / np.median(b[picks], axis=1)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(high)


# --8<-- [end:interval]


def main() -> None:
    """Drift first, then noise, then choosing the best of ten."""
    for name, order in (("all A, then all B", "A" * 8 + "B" * 8), ("A B B A", "ABBA" * 4)):
        found = ratio(times(order, 0.01))
        print(f"{name:18} B is {found:.3f} times as fast (true: {TRUE:.3f})")
        assert (found < 1) is (order[1] == "A"), "in blocks even the direction is wrong"
    assert abs(ratio(times("ABBA" * 4, 0.01)) - TRUE) < 1e-9, "linear drift cancels exactly"

    rng = np.random.default_rng(0)

    def noisy(ms: float) -> np.ndarray:
        return ms * np.exp(rng.normal(0, 0.08, size=16))

    low, high = interval(noisy(100), noisy(95), rng)
    print(f"16 blocks with 8 % noise: between {low:.3f} and {high:.3f} times: not shown")
    assert low < 1 < high
    low, high = interval(noisy(100), noisy(60), rng)
    print(f"a gain of 1.67 with the same noise: between {low:.3f} and {high:.3f}: shown")
    assert low > 1.3

    best = max(float(np.median(noisy(100)) / np.median(noisy(100))) for _ in range(10))
    print(f"the best of ten comparisons of A with itself: {best:.3f} times")
    assert best > 1.03, "who chooses, finds a gain where there is none"


if __name__ == "__main__":
    main()
