"""Rounding of the online recurrence in float32: by its order, and against two passes."""

from __future__ import annotations

import numpy as np

F32 = np.float32
COLUMNS = 1 << 16


def exact(row: np.ndarray) -> float:
    """The sum of exponentials in float64."""
    return float(np.exp(row.astype(np.float64) - row.max()).sum())


def two_passes(row: np.ndarray) -> float:
    """One running sum, with the maximum known."""
    terms = np.exp(row - row.max())
    return float(np.add.accumulate(terms, dtype=F32)[-1])


def online(row: np.ndarray, lanes: int) -> float:
    """`lanes` running sums, each with a maximum of its own, merged as a tree at the end."""
    columns = row.reshape(-1, lanes)
    maximum = np.full(lanes, -np.inf, dtype=F32)
    total = np.zeros(lanes, dtype=F32)
    for values in columns:
        new = np.maximum(maximum, values)
        total = total * np.exp(maximum - new) + np.exp(values - new)
        maximum = new
    while len(total) > 1:
        half = len(total) // 2
        new = np.maximum(maximum[:half], maximum[half:])
        left = total[:half] * np.exp(maximum[:half] - new)
        total = left + total[half:] * np.exp(maximum[half:] - new)
        maximum = new
    return float(total[0])


def main() -> None:
    """Print relative errors for a random row and for one that rises all the way."""
    rng = np.random.default_rng(0)
    rows = {
        "random": rng.normal(size=COLUMNS).astype(F32),
        "rising": np.linspace(-8, 8, COLUMNS, dtype=F32),
        "1e4 + random": (1e4 + rng.normal(size=COLUMNS)).astype(F32),
    }
    print(f"{'row':13s} {'two passes':>11s} {'1 lane':>9s} {'32 lanes':>9s} {'1024 lanes':>11s}")
    for name, row in rows.items():
        wanted = exact(row)
        sums = [two_passes(row), *(online(row, lanes) for lanes in (1, 32, 1024))]
        errors = [abs(s - wanted) / wanted for s in sums]
        print(f"{name:13s} {errors[0]:11.0e} {errors[1]:9.0e} {errors[2]:9.0e} {errors[3]:11.0e}")
        assert errors[3] < 2e-6, "with many lanes no sum is long"
        if name == "rising":
            assert errors[1] > 10 * errors[3], "a rescaling at every step, each with its rounding"
        assert max(errors) < COLUMNS * 2.0**-23, "a rounding or two for each element, at most"

    empty = np.full(4, -np.inf, dtype=F32)
    with np.errstate(invalid="ignore"):
        merged = np.exp(empty - empty.max())
    print("nothing but -inf, no care taken:", merged[0])
    assert np.isnan(merged).all()


if __name__ == "__main__":
    main()
