"""Two matrices split over ranks: one sum at the end, nothing in between."""

from __future__ import annotations

import numpy as np


def step_ms(billions: float, ranks: int, terabytes: float, layers: int, us: float) -> float:
    """Weights of 2 bytes read once by all ranks together, and two sums a layer."""
    return billions * 2 / (ranks * terabytes) + 2 * layers * us / 1000


def main() -> None:
    """First that it is the same network, then when it stops being faster."""
    rng = np.random.default_rng(0)
    x, up, down = rng.normal(size=(3, 16)), rng.normal(size=(16, 64)), rng.normal(size=(64, 16))
    whole = np.maximum(x @ up, 0) @ down
    parts = [
        np.maximum(x @ a, 0) @ b
        for a, b in zip(np.split(up, 4, axis=1), np.split(down, 4, axis=0), strict=True)
    ]
    print("columns, then rows: one sum of 4 parts is the whole:", np.allclose(sum(parts), whole))
    assert np.allclose(sum(parts), whole)
    halves = [x[:, i : i + 8] @ up[i : i + 8] for i in (0, 8)]
    early = sum(np.maximum(h, 0) for h in halves) @ down
    print("rows first, without a sum before the ReLU:", np.allclose(early, whole))
    assert not np.allclose(early, whole)

    for ranks in (1, 2, 4, 8, 16):
        sums = 0 if ranks == 1 else 20
        ms = step_ms(70, ranks, 3.35, 80, sums)
        print(f"70 billion, 80 layers, {ranks:2} ranks, sums of {sums:2} µs: {ms:4.1f} ms")
    speedup = step_ms(70, 1, 3.35, 80, 0) / step_ms(70, 8, 3.35, 80, 20)
    print(f"8 ranks are {speedup:.1f} times as fast, not 8")
    assert 4.5 < speedup < 5.5


if __name__ == "__main__":
    main()
