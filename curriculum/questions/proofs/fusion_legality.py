"""Two loops into one: run fused and apart for each distance, delay, recompute, and count bytes."""

from __future__ import annotations

import numpy as np

Array = np.ndarray[tuple[int], np.dtype[np.float64]]
N = 40


def value(array: Array, index: int) -> float:
    """Zero outside."""
    return float(array[index]) if 0 <= index < len(array) else 0.0


# --8<-- [start:loops]
def apart(a: Array, distance: int) -> Array:
    """b[i] = 2 a[i]; then c[i] = b[i + distance] + 1."""
    b, c = np.zeros(N), np.zeros(N)
    for i in range(N):
        b[i] = 2 * a[i]
    for i in range(N):
        c[i] = value(b, i + distance) + 1
    return c


def fused(a: Array, distance: int, delay: int = 0) -> Array:
    """One loop; the second statement runs `delay` iterations late."""
    b, c = np.zeros(N), np.zeros(N)
    for i in range(N + delay):
        if i < N:
            b[i] = 2 * a[i]
        if 0 <= i - delay < N:
            c[i - delay] = value(b, i - delay + distance) + 1
    return c


# --8<-- [end:loops]


def normalized(a: Array, fuse: bool) -> Array:
    """Subtract the sum: a reduction feeds every iteration of the second loop."""
    total, out = 0.0, np.zeros(N)
    for i in range(N):
        total += a[i]
        if fuse:
            out[i] = a[i] - total
    return out if fuse else a - total


def recomputed(width: int, layers: int, tile: int) -> float:
    """Work of `layers` stencils of `width` fused by tiles, over the work without: the halo."""
    reach = width // 2
    done = sum(tile + 2 * reach * (layers - 1 - layer) for layer in range(layers))
    return done / (tile * layers)


def bytes_apart(operators: int, extra: int, size: int) -> int:
    """Each operator reads and writes; `extra` further arrays are read once somewhere."""
    return (2 * operators + extra) * size


def main() -> None:
    """Print what is legal, and what it saves."""
    a = np.random.default_rng(0).random(N)
    for distance in (-2, -1, 0, 1, 2):
        at_once = np.array_equal(apart(a, distance), fused(a, distance))
        late = np.array_equal(apart(a, distance), fused(a, distance, max(distance, 0)))
        print(f"c[i] reads b[i {distance:+d}]: fused right {at_once}, delayed right {late}")
        assert at_once == (distance <= 0)
        assert late
    whole = np.allclose(normalized(a, True), normalized(a, False))
    print(f"a sum feeds the second loop: fused right {whole}")
    assert not whole
    for tile in (4, 16, 64):
        print(
            f"three stencils of 3, tiles of {tile:2}: {recomputed(3, 3, tile):.2f} times the work"
        )
    assert recomputed(3, 3, 4) == 1.5
    size = 4 << 20
    before, after = bytes_apart(5, 1, size), bytes_apart(1, 1, size)
    print(f"five operators, one extra input: {before >> 20} MiB apart, {after >> 20} MiB fused")
    assert before / after == 11 / 3


if __name__ == "__main__":
    main()
