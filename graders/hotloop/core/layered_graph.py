"""Places the boxes of a directed acyclic graph in layers, from top to bottom, for a drawing.

layout = layered_graph.place([60, 90, 60], [(0, 1), (1, 2), (0, 2)])
[svg.path(way) for way in layout.ways]
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hotloop.core import svg

HEIGHT = 30
"""Height of each box."""

_ACROSS, _DOWN, _MARGIN = 24, 34, 16
_BEND = 12
"""Width of the gap in a layer through which an edge passes."""

_SWEEPS = 6

Edge = tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """corners: the upper left corner of each box. ways: of the edges, for `svg.path`."""

    corners: list[tuple[float, float]]
    ways: list[str]
    width: float
    height: float


def place(widths: Sequence[float], edges: Sequence[Edge]) -> Layout:
    """Place boxes of these widths, each near the middle of its neighbors.

    edges: from one box to a later one, by number. An edge that passes layers goes straight down
    between their boxes.
    """
    layer = _layers(len(widths), edges)
    sizes, short = list(widths), list[Edge]()
    for start, end in edges:
        for between in range(layer[start] + 1, layer[end]):
            short.append((start, len(sizes)))
            start = len(sizes)
            sizes.append(_BEND)
            layer.append(between)
        short.append((start, end))
    rows = [[n for n, own in enumerate(layer) if own == row] for row in range(max(layer) + 1)]
    middles = _middles(rows, sizes, short, len(widths))
    left = min(middle - size / 2 for middle, size in zip(middles, sizes, strict=True)) - _MARGIN
    middles = [middle - left for middle in middles]
    tops = [_MARGIN + row * (HEIGHT + _DOWN) for row in layer]
    ways: list[str] = []
    for start, end in short:
        way = svg.curve(middles[start], tops[start] + HEIGHT, middles[end], tops[end])
        ways.append(way if end < len(widths) else f"{way}V{tops[end] + HEIGHT}")
    corners = [(middles[n] - size / 2, float(tops[n])) for n, size in enumerate(widths)]
    width = max(middle + size / 2 for middle, size in zip(middles, sizes, strict=True))
    return Layout(corners, ways, width + _MARGIN, max(tops) + HEIGHT + _MARGIN)


def _layers(count: int, edges: Sequence[Edge]) -> list[int]:
    """Each box is one below the lowest that leads to it; the first ones are just above the next."""
    layer = [0] * count
    for start, end in sorted(edges, key=lambda edge: edge[1]):
        layer[end] = max(layer[end], layer[start] + 1)
    ends = {end for _, end in edges}
    for box in set(range(count)) - ends:
        layer[box] = min((layer[end] for start, end in edges if start == box), default=1) - 1
    return layer


def _middles(
    rows: list[list[int]], sizes: Sequence[float], edges: Sequence[Edge], boxes: int
) -> list[float]:
    """Order the rows, and return the x coordinate of each middle. boxes: the rest are bends."""
    above: list[list[int]] = [[] for _ in sizes]
    below: list[list[int]] = [[] for _ in sizes]
    for start, end in edges:
        above[end].append(start)
        below[start].append(end)
    middles = [0.0] * len(sizes)
    for row in rows:
        _spread(row, sizes, middles, boxes)
    for sweep in range(_SWEEPS):
        neighbors = below if sweep % 2 else above
        for row in reversed(rows) if sweep % 2 else rows:
            near = {n: [middles[other] for other in neighbors[n] or [n]] for n in row}
            row.sort(key=lambda n: sum(near[n]) / len(near[n]))
            _spread(row, sizes, middles, boxes)
    return middles


def _spread(row: Sequence[int], sizes: Sequence[float], middles: list[float], boxes: int) -> None:
    """Place the row's boxes beside one another, with those that are no bends around 0."""
    x = 0.0
    for n in row:
        middles[n] = x + sizes[n] / 2
        x += sizes[n] + _ACROSS
    shown = [n for n in row if n < boxes] or row
    first, last = shown[0], shown[-1]
    center = (middles[first] - sizes[first] / 2 + middles[last] + sizes[last] / 2) / 2
    for n in row:
        middles[n] -= center
