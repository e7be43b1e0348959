"""SVG drawings that use the page's colors, so that they work in light and dark mode.

A drawing is 360 units wide, the width of a phone, and its smallest text is of size 10: it is never
scaled down. Its description contains what it shows, for readers who cannot see it.
"""

import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hotloop.core import svg

WIDTH = 360
SIZE = 11
LINE = 14
_BESIDE = 8
"""Between two boxes of a row."""
_ROUND = 3
"""Between a box and an arrow that passes it."""
_LANE = 3
"""Between two arrows that pass through one gap."""
_PER_LETTER = 0.56
"""Average width of a letter, as a fraction of its size."""

COLORS = (
    "var(--hot, #d55e00)",
    "var(--cool, #56b4e9)",
    "var(--leaf, #009e73)",
    "var(--plum, #cc79a7)",
)
"""Distinct in both color schemes and with color blindness; defined in the style sheet.

The fallback value in each `var`, and the attributes next to classes, are for pictures outside the
site.
"""


def letters(width: float, size: float = SIZE) -> int:
    """Return how many letters fit into `width`, at least 4."""
    return max(int(width / (size * _PER_LETTER)), 4)


def wrapped(words: str, width: float, size: float = SIZE) -> list[str]:
    """Wrap `words` to lines of `width`. A word is cut only if it is far too long."""
    most = letters(width, size)
    longest = max((len(word) for word in words.split()), default=0)
    if most < longest <= most + 2:
        most = longest
    return textwrap.wrap(words, most) or [""]


def text(
    x: float,
    y: float,
    words: str,
    *,
    size: float = SIZE,
    anchor: str = "",
    css: str = "",
    turned: float = 0,
) -> str:
    """Draw one line of text; anchor: start, middle or end."""
    turn = f"rotate({turned:g} {x:g} {y:g})" if turned else ""
    return svg.text(x, y, words, font_size=size, text_anchor=anchor, class_=css, transform=turn)


def line(x1: float, y1: float, x2: float, y2: float, css: str = "faint") -> str:
    """Draw a straight line."""
    return svg.line(x1, y1, x2, y2, class_=css)


def rectangle(
    x: float, y: float, width: float, height: float, css: str = "box", fill: str = ""
) -> str:
    """Draw a rectangle with slightly rounded corners."""
    style = f"fill:{fill}" if fill else ""
    outline = {"fill": "none", "stroke": svg.PAGE, "class_": css, "style": style}
    return svg.rect(x, y, width, height, rx=4, **outline)


def dot(x: float, y: float, radius: float, fill: str, title: str = "") -> str:
    """Draw a disc; `title` is its tooltip."""
    return svg.circle(x, y, radius, style=f"fill:{fill}", title=title)


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """Draw an arrow from one point down to another; `arrows` leads around boxes."""
    return _arrow([(x1, y1), (x2, y2 - 5)])


def drawing(height: float, parts: Sequence[str], title: str, description: str) -> list[str]:
    """Return the SVG's lines, without an empty line, so that it can be part of a page's text."""
    return svg.picture(WIDTH, height, parts, title, description, class_="drawing").split("\n")


def figure(picture: Sequence[str], caption: str) -> list[str]:
    """Wrap a picture in a figure; the caption is HTML."""
    return ["<figure>", *picture, f"<figcaption>{caption}</figcaption>", "</figure>", ""]


@dataclass(frozen=True)
class Box:
    """A rectangle that contains text, with a start and an end point for arrows."""

    x: float
    y: float
    width: float
    lines: tuple[str, ...]
    css: str = "box"

    @property
    def height(self) -> float:
        """Height for its number of lines."""
        return len(self.lines) * LINE + 12

    @property
    def top(self) -> tuple[float, float]:
        """Where an arrow to the box ends: the middle of its upper edge."""
        return self.x + self.width / 2, self.y

    @property
    def bottom(self) -> tuple[float, float]:
        """Where an arrow from the box begins: the middle of its lower edge."""
        return self.x + self.width / 2, self.y + self.height

    def drawn(self) -> list[str]:
        """Return the box's SVG elements."""
        parts = [rectangle(self.x, self.y, self.width, self.height, self.css)]
        for number, words in enumerate(self.lines):
            y = self.y + 6 + LINE * number + SIZE - 1
            parts.append(text(self.x + 8, y, words, css=f"in-{self.css}"))
        return parts


def arrows(boxes: Collection[Box], edges: Iterable[tuple[Box, Box]]) -> list[str]:
    """Draw an arrow down from one box to another, for each edge, around the boxes in between.

    boxes: in rows, as `stacked` places them: those of a row begin at the same height. Arrows from
    one box share their way through a gap; each other box's has a lane of its own there.
    """
    rows = {y: [box for box in boxes if box.y == y] for y in sorted({box.y for box in boxes})}
    lanes: dict[tuple[float, float], dict[Box, float]] = {}
    drawn: list[str] = []
    for start, end in edges:
        x, y = start.bottom
        points = [(x, y), (x, _lowest(rows[start.y]))]
        between = [row for top, row in rows.items() if start.y < top < end.y]
        for number, row in enumerate(between):
            straight = points[-1][0] + (end.top[0] - points[-1][0]) / (len(between) - number + 1)
            x = _beside(row, straight, start, lanes)
            points += [(x, row[0].y - _ROUND), (x, _lowest(row) + _ROUND)]
        points.append((end.top[0], end.y - 5))
        drawn.append(_arrow(points))
    return drawn


def _lowest(row: Iterable[Box]) -> float:
    return max(box.y + box.height for box in row)


def _beside(
    row: Sequence[Box], x: float, start: Box, lanes: dict[tuple[float, float], dict[Box, float]]
) -> float:
    """Return where an arrow from `start` passes a row, near `x`.

    lanes: by a gap's place, where the arrows of a box pass it.
    """
    lefts = [box.x for box in row]
    rights = [box.x + box.width for box in row]
    gaps = list(zip([0.0, *rights], [*lefts, float(WIDTH)], strict=True))
    wide = [gap for gap in gaps if gap[1] - gap[0] >= 2 * _ROUND]

    def nearest(gap: tuple[float, float]) -> float:
        return min(max(x, gap[0] + _ROUND), gap[1] - _ROUND)

    left, right = min(wide, key=lambda gap: abs(nearest(gap) - x))
    passing = lanes.setdefault((left, row[0].y), {})
    if start not in passing:
        center = nearest((left, right))
        free = (
            place
            for step in range(int(right - left))
            for place in (center - step, center + step)
            if left < place < right
            and all(abs(place - other) >= _LANE for other in passing.values())
        )
        passing[start] = next(free, center)
    return passing[start]


def _arrow(points: Sequence[tuple[float, float]]) -> str:
    """Draw a way through points: straight where they are below each other, else curved."""
    way = f"M{svg.number(points[0][0])} {svg.number(points[0][1])}"
    for before, after in pairwise(points):
        if before != after:  # a curve begins where the way is already
            way += "C" + svg.curve(*before, *after).partition("C")[2]
    x, y = points[-1]
    return svg.path(way, class_="edge") + svg.tip(x, y + 5, class_="tip")


def stacked(
    rows: Sequence[Sequence[tuple[str, Sequence[str], str]]],
    *,
    widest: float,
    inset: float,
    gap: float,
    beside: float = _BESIDE,
) -> dict[str, Box]:
    """Place rows of boxes below each other, each row in the middle; return the boxes by name.

    rows: of name, texts and CSS class. widest: of a box; a lone note takes the whole width. inset:
    of a box's width, not for text. gap: between rows. beside: between boxes of a row.
    """
    boxes: dict[str, Box] = {}
    y = 2.0
    for row in rows:
        share = (WIDTH - 2 + beside) / len(row) - beside
        width = share if row[0][2] == "note" else min(share, widest)
        left = (WIDTH - (width + beside) * len(row) + beside) / 2
        for number, (name, texts, css) in enumerate(row):
            lines = tuple(part for each in texts for part in wrapped(each, width - inset))
            boxes[name] = Box(left + number * (width + beside), y, width, lines, css)
        y += max(boxes[name].height for name, _, _ in row) + gap
    return boxes
