"""Arrows between boxes: none of them runs behind a box."""

import re
from collections.abc import Iterator, Sequence

import pytest
from bs4 import BeautifulSoup

from hotloop.site import drawing, learning_map, prerequisites
from hotloop.site.drawing import Box
from hotloop.tasks import curriculum

ROUNDING = 0.1

Point = tuple[float, float]


def along(way: str) -> Iterator[Point]:
    """Yield points of a path that begins with M and goes on with cubic curves."""
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", way)]
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    for first in range(0, len(points) - 1, 3):
        a, b, c, d = points[first : first + 4]
        for step in range(101):
            t = step / 100
            shares = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            x, y = (
                sum(s * p[axis] for s, p in zip(shares, (a, b, c, d), strict=True))
                for axis in (0, 1)
            )
            yield x, y


def way_of(arrow: str) -> str:
    return arrow.partition('d="')[2].partition('"')[0]


def hidden(picture: Sequence[str]) -> list[Point]:
    """Return the points of arrows that lie inside a box."""
    soup = BeautifulSoup("\n".join(picture), "html.parser")
    sides = ("x", "y", "width", "height")
    boxes = [[float(str(box[side])) for side in sides] for box in soup.select("rect:not(.stripe)")]
    ways = [str(path["d"]) for path in soup.select("path.edge")]
    assert boxes
    return [
        (x, y)
        for way in ways
        for x, y in along(way)
        for left, top, width, height in boxes
        if left < x - ROUNDING < x + ROUNDING < left + width
        and top < y - ROUNDING < y + ROUNDING < top + height
    ]


def test_no_arrow_of_the_learning_map_runs_behind_a_box() -> None:
    picture = learning_map.section(curriculum.modules())
    assert "edge" in "".join(picture)
    assert hidden(picture) == []


@pytest.mark.parametrize("module", curriculum.modules(), ids=lambda module: module.id)
def test_no_arrow_of_a_modules_way_runs_behind_a_box(module: curriculum.Module) -> None:
    known = {each.id: each for each in curriculum.modules()}
    assert hidden(prerequisites.section(module, known)) == []


def test_arrows_of_two_boxes_pass_a_gap_beside_each_other_and_those_of_one_together() -> None:
    rows = [
        [("a", ["a"], "box"), ("b", ["b"], "box")],
        [("c", ["c"], "box"), ("d", ["d"], "box")],
        [("e", ["e"], "box"), ("f", ["f"], "box")],
    ]
    boxes = drawing.stacked(rows, widest=170, inset=16, gap=30, beside=16)
    edges = [(boxes[start], boxes[end]) for start, end in ("ae", "af", "be")]
    drawn = drawing.arrows(boxes.values(), edges)
    row = boxes["c"].y + boxes["c"].height / 2
    first, second, other = (next(x for x, y in along(way_of(arrow)) if y >= row) for arrow in drawn)
    assert first == pytest.approx(second)
    assert abs(first - other) > 1


def test_a_drawing_of_adjacent_rows_leads_straight_down() -> None:
    boxes = [Box(10, 2, 100, ("a",)), Box(10, 60, 100, ("b",))]
    [arrow] = drawing.arrows(boxes, [(boxes[0], boxes[1])])
    assert {round(x, 6) for x, _ in along(way_of(arrow))} == {60}
