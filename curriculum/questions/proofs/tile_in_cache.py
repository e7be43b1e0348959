"""Tiles of a matmul in a simulated cache: misses against the estimate, and where it breaks down."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

N = 32
CAPACITY = 3 * 8 * 8 + 16
"""Numbers: a little more than three tiles of 8 by 8."""


def addresses(tile: int, stride: int) -> Iterator[int]:
    """Of a, b and c in the order that the tiled loops touch them. stride: length of a stored "
    f"row."""
    area = N * stride
    starts = range(0, N, tile)
    for i0 in starts:
        for j0 in starts:
            for k0 in starts:
                for i in range(i0, min(i0 + tile, N)):
                    for k in range(k0, min(k0 + tile, N)):
                        yield i * stride + k
                        for j in range(j0, min(j0 + tile, N)):
                            yield area + k * stride + j
                            yield 2 * area + i * stride + j


# --8<-- [start:caches]
def misses(order: Iterator[int]) -> int:
    """A cache that may keep any number anywhere, and drops what was used longest ago."""
    kept: OrderedDict[int, None] = OrderedDict()
    missed = 0
    for address in order:
        if address in kept:
            kept.move_to_end(address)
            continue
        missed += 1
        kept[address] = None
        if len(kept) > CAPACITY:
            kept.popitem(last=False)
    return missed


def misses_in_sets(order: Iterator[int], ways: int) -> int:
    """The same capacity in sets: an address may live in one of them only."""
    sets = CAPACITY // ways
    kept: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(sets)]
    missed = 0
    for address in order:
        home = kept[address % sets]
        if address in home:
            home.move_to_end(address)
            continue
        missed += 1
        home[address] = None
        if len(home) > ways:
            home.popitem(last=False)
    return missed


# --8<-- [end:caches]


def main() -> None:
    """Print misses for each tile."""
    largest = int((CAPACITY / 3) ** 0.5)
    print(f"{CAPACITY} numbers of cache: three tiles fit up to {largest} by {largest}")
    assert largest == 8
    found: dict[int, int] = {}
    for tile in (1, 2, 4, 8, 16, 32):
        found[tile] = misses(addresses(tile, N))
        estimate = 2 * N**3 // tile + N * N
        print(f"tile {tile:2}: {found[tile]:6,} misses, estimate {estimate:6,}")
    assert min(found, key=lambda tile: found[tile]) == 8
    for tile in (4, 8):
        assert abs(found[tile] / (2 * N**3 // tile + N * N) - 1) < 0.35
    assert found[16] > 2 * found[8], "beyond the cache the estimate no longer holds"
    even, odd = (misses_in_sets(addresses(8, stride), 2) for stride in (104, 112))
    print(f"2 ways in {CAPACITY // 2} sets, tile 8: rows of 104 numbers {even:,}, of 112 {odd:,}")
    assert even > 3 * odd


if __name__ == "__main__":
    main()
