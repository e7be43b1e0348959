"""Boxes in layers do not overlap, stand below what leads to them, and edges pass by them."""

from itertools import combinations

import numpy as np
import pytest

from hotloop.core.layered_graph import HEIGHT, Edge, Layout, place


def graph(seed: int) -> tuple[list[float], list[Edge]]:
    """A random graph whose edges lead from a box to a later one."""
    rng = np.random.default_rng(seed)
    widths = [float(width) for width in rng.integers(20, 150, rng.integers(1, 25))]
    pairs = list(combinations(range(len(widths)), 2))
    return widths, [pair for pair in pairs if rng.random() < 2 / len(widths)]


def way_points(way: str) -> list[tuple[float, float]]:
    """The start and the end of a curve, and where it goes straight down to."""
    curve, _, down = way.partition("V")
    start, points = curve.removeprefix("M").split("C")
    numbers = [float(n) for n in f"{start} {points}".split()]
    places = [(numbers[0], numbers[1]), (numbers[-2], numbers[-1])]
    return [*places, (places[1][0], float(down))] if down else places


@pytest.mark.parametrize("seed", range(40))
def test_a_graph(seed: int) -> None:
    widths, edges = graph(seed)
    found: Layout = place(widths, edges)
    boxes = [(x, y, x + w) for (x, y), w in zip(found.corners, widths, strict=True)]
    for one, other in combinations(boxes, 2):
        assert one[1] != other[1] or one[2] < other[0] or other[2] < one[0]
    for start, end in edges:
        assert boxes[start][1] + HEIGHT < boxes[end][1]
    assert all(left > 0 and right < found.width for left, _, right in boxes)
    assert all(top > 0 and top + HEIGHT < found.height for _, top, _ in boxes)
    for way in found.ways:
        x, _ = way_points(way)[-1]
        for left, top, right in boxes:
            straight = "V" in way and way_points(way)[1][1] == top
            assert not straight or x < left or x > right, "it passes through a box"


def test_a_chain_is_straight() -> None:
    found = place([40, 60, 20], [(0, 1), (1, 2)])
    middles = [x + width / 2 for (x, _), width in zip(found.corners, (40, 60, 20), strict=True)]
    assert middles == [middles[0]] * 3
    assert len(found.ways) == 2


def test_what_nothing_leads_to_stands_just_above_its_first_user() -> None:
    found = place([20] * 4, [(0, 1), (1, 2), (3, 2)])
    assert found.corners[3][1] == found.corners[1][1]


def test_an_edge_over_a_layer_has_a_way_for_each() -> None:
    found = place([50] * 3, [(0, 1), (1, 2), (0, 2)])
    assert len(found.ways) == 4
    assert sum("V" in way for way in found.ways) == 1
