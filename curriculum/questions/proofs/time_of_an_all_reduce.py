"""A ring: the sum is right everywhere, and each rank sends 2·(n-1)/n of the buffer."""

from __future__ import annotations

import numpy as np


def ring(buffers: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Reduce-scatter, then all-gather. The result, elements sent by a rank, steps."""
    n = len(buffers)
    parts = buffers.reshape(n, n, -1).copy()  # rank, part, elements
    sent, steps = 0, 0
    for phase in ("add", "copy"):
        shift = 0 if phase == "add" else 1
        for step in range(n - 1):
            moving = [(rank, (rank - step + shift) % n) for rank in range(n)]
            values = [parts[rank, part].copy() for rank, part in moving]
            for (rank, part), value in zip(moving, values, strict=True):
                to = (rank + 1) % n
                parts[to, part] = parts[to, part] + value if phase == "add" else value
            sent += parts.shape[2]
            steps += 1
    return parts.reshape(n, -1), sent, steps


def main() -> None:
    """Check the sums, count, and put figures in."""
    rng = np.random.default_rng(0)
    for n in (2, 4, 8):
        size = 840
        buffers = rng.integers(0, 100, size=(n, size)).astype(float)
        result, sent, steps = ring(buffers)
        print(f"{n} ranks: each sends {sent / size:.2f} buffers in {steps} steps")
        assert (result == buffers.sum(axis=0)).all()
        assert sent * n == 2 * (n - 1) * size
        assert steps == 2 * (n - 1)

    for n in (8, 64):
        seconds = 2 * (n - 1) / n * 14e9 / 400e9
        print(f"14 GB of gradients, {n} ranks, 400 GB/s a direction: {seconds * 1e3:.1f} ms")
    small = 2 * (64 - 1) * 5e-6
    print(f"64 KB, 64 ranks, 5 µs a step (supposed): {small * 1e6:.0f} µs, all of it latency")
    bytes_alone = 2 * 63 / 64 * 64e3 / 400e9
    assert bytes_alone < small / 1000


if __name__ == "__main__":
    main()
