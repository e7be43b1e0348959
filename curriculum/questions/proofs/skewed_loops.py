"""Dependence vectors decide: interchange, tiles, parallel loops, and a skew that allows them."""

from __future__ import annotations

from collections.abc import Iterator

Point = tuple[int, int]
Matrix = tuple[tuple[int, int], tuple[int, int]]
N = 12
READS: dict[str, tuple[Point, ...]] = {
    "from above and left": ((1, 0), (0, 1)),
    "and from above right": ((1, 0), (0, 1), (1, -1)),
}
"""Distance from the iteration that writes to the one that reads."""
IDENTITY: Matrix = ((1, 0), (0, 1))
EXCHANGE: Matrix = ((0, 1), (1, 0))
SKEW: Matrix = ((1, 0), (1, 1))
WAVE: Matrix = ((1, 1), (1, 0))


def apply(matrix: Matrix, point: Point) -> Point:
    """The matrix times the point."""
    return (
        matrix[0][0] * point[0] + matrix[0][1] * point[1],
        matrix[1][0] * point[0] + matrix[1][1] * point[1],
    )


# --8<-- [start:legal]
def legal(matrix: Matrix, distances: tuple[Point, ...]) -> bool:
    """Every distance still points forward: it is positive in the order of a dictionary."""
    return all(apply(matrix, d) > (0, 0) for d in distances)


def may_tile(matrix: Matrix, distances: tuple[Point, ...]) -> bool:
    """No component is negative: then a tile never waits for a later one."""
    return all(min(apply(matrix, d)) >= 0 for d in distances)


def inner_parallel(matrix: Matrix, distances: tuple[Point, ...]) -> bool:
    """Each dependence is carried by the outer loop."""
    return all(apply(matrix, d)[0] > 0 for d in distances)


# --8<-- [end:legal]


def order(matrix: Matrix, tile: int) -> Iterator[Point]:
    """The points in the transformed loops' order, by tiles of the new coordinates."""
    points = [(i, j) for i in range(1, N) for j in range(1, N)]

    def key(point: Point) -> tuple[int, ...]:
        u, v = apply(matrix, point)
        return u // tile, v // tile, u, v

    return iter(sorted(points, key=key))


def run(points: Iterator[Point], distances: tuple[Point, ...]) -> dict[Point, int]:
    """Each cell is the sum of the cells it reads, modulo a prime; the border is 1."""
    cells = {(i, j): 1 for i in range(N + 1) for j in range(N + 1)}
    for i, j in points:
        cells[i, j] = (1 + sum(cells[i - a, j - b] for a, b in distances)) % 10007
    return cells


def main() -> None:
    """Predict by vectors, then run."""
    for name, distances in READS.items():
        truth = run(order(IDENTITY, 1), distances)
        print(f"reads {name}: {distances}")
        for label, matrix in (("as written", IDENTITY), ("exchanged", EXCHANGE), ("skewed", SKEW)):
            plain = run(order(matrix, 1), distances) == truth
            tiled = run(order(matrix, 4), distances) == truth
            print(f"  {label:10} right {plain}, in tiles of 4 {tiled}")
            assert plain == legal(matrix, distances)
            assert tiled == (legal(matrix, distances) and may_tile(matrix, distances))
    simple, wide = READS.values()
    assert legal(EXCHANGE, simple)
    assert not legal(EXCHANGE, wide)
    assert not may_tile(IDENTITY, wide)
    assert may_tile(SKEW, wide)

    assert inner_parallel(WAVE, simple)
    assert not inner_parallel(IDENTITY, simple)
    assert not inner_parallel(WAVE, wide), "(1, -1) lies within one wave"
    steeper: Matrix = ((2, 1), (1, 0))
    assert inner_parallel(steeper, wide)
    waves = {apply(WAVE, (i, j))[0] for i in range(1, N) for j in range(1, N)}
    steep = {apply(steeper, (i, j))[0] for i in range(1, N) for j in range(1, N)}
    cells = (N - 1) ** 2
    print(
        f"{cells} cells: waves i + j {len(waves)} steps; with the third read 2i + j, "
        f"{len(steep)} steps"
    )
    assert (len(waves), len(steep)) == (21, 31)


if __name__ == "__main__":
    main()
