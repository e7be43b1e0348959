"""Attention by tiles: the same answer, and its bytes, counted load by load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass
class Memory:
    """Counts the elements that go to and from it."""

    elements: int = 0

    def read(self, array: Array) -> Array:
        """From memory into the chip."""
        self.elements += array.size
        return array

    def write(self, array: Array) -> Array:
        """And back."""
        self.elements += array.size
        return array


def by_operators(q: Array, k: Array, v: Array) -> tuple[Array, int]:
    """Matmul, softmax, matmul: three kernels, each with its result in memory."""
    memory = Memory()
    scores = memory.write(memory.read(q) @ memory.read(k).T)
    grown = np.exp(memory.read(scores) - scores.max(1, keepdims=True))
    weights = memory.write(grown / grown.sum(1, keepdims=True))
    out = memory.write(memory.read(weights) @ memory.read(v))
    return out, memory.elements


# --8<-- [start:tiles]
def by_tiles(q: Array, k: Array, v: Array, rows: int, columns: int) -> tuple[Array, int]:
    """A tile of queries stays; tiles of keys and values pass by it, once for each tile of "
    f"queries."""
    memory = Memory()
    out = np.empty_like(q)
    for top in range(0, len(q), rows):
        tile = memory.read(q[top : top + rows])
        high = np.full((len(tile), 1), -np.inf)
        total = np.zeros((len(tile), 1))
        sums = np.zeros_like(tile)
        for left in range(0, len(k), columns):
            keys, values = (
                memory.read(k[left : left + columns]),
                memory.read(v[left : left + columns]),
            )
            scores = tile @ keys.T
            higher = np.maximum(high, scores.max(1, keepdims=True))
            rescale, grown = np.exp(high - higher), np.exp(scores - higher)
            total = total * rescale + grown.sum(1, keepdims=True)
            sums = sums * rescale + grown @ values
            high = higher
        out[top : top + rows] = memory.write(sums / total)
    return out, memory.elements


# --8<-- [end:tiles]


def main() -> None:
    """Compare answers and counts with the formulas."""
    rng = np.random.default_rng(0)
    n, d = 1024, 64
    q, k, v = (rng.standard_normal((n, d)) for _ in range(3))
    reference, apart = by_operators(q, k, v)
    assert apart == 4 * n * d + 4 * n * n
    print(f"length {n}, head of {d}, 2 bytes: by operators {2 * apart / 2**20:.2f} MiB")
    counts: list[int] = []
    for rows in (16, 64, 256, n):
        out, count = by_tiles(q, k, v, rows, 64)
        worst = np.abs(out - reference).max()
        print(
            f"tiles of {rows:4} queries: {2 * count / 2**20:5.2f} MiB, {count / apart:4.2f} of it"
        )
        assert worst < 1e-12
        assert count == 2 * n * d + 2 * n * d * (n // rows)
        counts.append(count)
    assert counts == sorted(counts, reverse=True)
    for columns in (16, 256):
        assert by_tiles(q, k, v, 64, columns)[1] == counts[1], "only the tile of queries counts"
    print("the width of a tile of keys changes no byte, only what has to fit on the chip")
    flops = 4 * n * n * d
    print(
        f"operations for each byte: by operators {flops / 2 / apart:.0f}, tiles of 64 "
        f"{flops / 2 / counts[1]:.0f}"
    )
    one_query = by_tiles(q[:1], k, v, 64, 64)[1]
    print(
        f"decoding one token: {4 * n * d / 2 / one_query:.2f} operations a byte, whatever the tile"
    )
    assert 4 * n * d / 2 / one_query < 1


if __name__ == "__main__":
    main()
