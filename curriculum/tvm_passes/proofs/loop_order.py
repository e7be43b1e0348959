"""How many cache lines a matmul fetches in four loop orders. The arithmetic is the same in all.

A model: one cache of 32 lines that throws out what was not used for longest, 64 rows and columns of
4 bytes, 16 numbers in a line. Real caches are larger, and so are real matrices.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

N, LINE, LINES, TILE = 64, 16, 32, 8

Step = tuple[int, int, int]


# --8<-- [start:orders]
def i_j_k() -> Iterator[Step]:
    """The naive nest: a whole sum before the next one."""
    return ((i, j, k) for i in range(N) for j in range(N) for k in range(N))


def i_k_j() -> Iterator[Step]:
    """Two loops swapped."""
    return ((i, j, k) for i in range(N) for k in range(N) for j in range(N))
    # --8<-- [end:orders]


def j_k_i() -> Iterator[Step]:
    """The other way round: every innermost step is on another row."""
    return ((i, j, k) for j in range(N) for k in range(N) for i in range(N))


def tiled() -> Iterator[Step]:
    """i, j and k split by 8, 16 and 8; within a tile i, k, j."""
    for i0 in range(0, N, TILE):
        for j0 in range(0, N, LINE):
            for k0 in range(0, N, TILE):
                for i in range(i0, i0 + TILE):
                    for k in range(k0, k0 + TILE):
                        for j in range(j0, j0 + LINE):
                            yield i, j, k


ORDERS = {"i j k": i_j_k, "i k j": i_k_j, "j k i": j_k_i, "tiled": tiled}


def touched(step: Step) -> tuple[tuple[str, int, int], ...]:
    """What one multiply and add reads and writes: an element of A, of B and of C."""
    i, j, k = step
    return ("A", i, k), ("B", k, j), ("C", i, j)


def fetched(steps: Iterator[Step]) -> int:
    """Lines that were not in the cache when they were needed."""
    cache: OrderedDict[tuple[str, int, int], None] = OrderedDict()
    count = 0
    for step in steps:
        for matrix, row, column in touched(step):
            line = (matrix, row, column // LINE)
            if line in cache:
                cache.move_to_end(line)
                continue
            count += 1
            cache[line] = None
            if len(cache) > LINES:
                cache.popitem(last=False)
    return count


def main() -> None:
    """Print the table."""
    found = {name: fetched(order()) for name, order in ORDERS.items()}
    least = 3 * N * N // LINE
    print(f"{N**3:,} multiply-adds; minimum {least:,} lines")
    for name, count in found.items():
        print(f"{name:6} {count:8,} lines fetched, {N**3 / count:5.1f} multiply-adds per line")
    assert found["i j k"] > 10 * found["i k j"], "B is read down a column: a line for each number"
    assert found["j k i"] > 1.5 * found["i j k"], "A and C both are"
    assert least < found["tiled"] < found["i k j"] / 3


if __name__ == "__main__":
    main()
