"""Charts and diagrams for lessons, from the recorded output of proofs and runs.

Each is a list of lines to print: one SVG made by `drawing`, 360 units wide.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hotloop.core import paths, svg
from hotloop.core.svg import Scale
from hotloop.site.drawing import (
    COLORS,
    LINE,
    SIZE,
    WIDTH,
    dot,
    drawing,
    line,
    rectangle,
    text,
    wrapped,
)

HOT, COOL, LEAF, PLUM = COLORS
FAINT = "var(--faint, #9aa5b1)"
_MARGIN = 8
_PER_LETTER = 5.6
"""Width of a letter of size 10, in units of the drawing."""


def recorded(module: str, proof: str) -> list[str]:
    """Return the lines of a proof's recorded output."""
    path = paths.curriculum() / module / "proofs" / f"{proof}.txt"
    return path.read_text(encoding="utf-8").splitlines()


def measurements(module: str, device: str) -> list[dict[str, Any]]:
    """Return the measurements of a recorded run, as in runs/<device>.json."""
    return _run(module, device)["measurements"]


def ceiling(module: str, device: str, name: str) -> float:
    """Return one of a recorded run's measured ceilings, the most that its device does."""
    return float(_run(module, device)["ceilings"][name])


def _run(module: str, device: str) -> dict[str, Any]:
    path = paths.curriculum() / module / "runs" / f"{device}.json"
    return json.loads(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Bar:
    """One bar of a chart. value: in the chart's unit. shown: the text to its right."""

    label: str
    value: float
    shown: str
    color: str = COOL


def bars(
    title: str, rows: Sequence[Bar], description: str, *, log_from: float | None = None
) -> list[str]:
    """Draw horizontal bars, each below its label. log_from: where a logarithmic axis begins."""
    behind = _PER_LETTER * max(len(row.shown) for row in rows) + 8
    largest, room = max(row.value for row in rows), WIDTH - 2 * _MARGIN - behind
    scale = Scale(log_from or 0.0, largest, 0.0, room, log=log_from is not None)
    parts: list[str] = [text(_MARGIN, 14, title)]
    y = 24.0
    for row in rows:
        parts.append(text(_MARGIN, y + 11, row.label, size=10, css="quiet"))
        width = max(scale.at(max(row.value, scale.low)), 1.0)
        parts.append(rectangle(_MARGIN, y + 15, width, 12, css="bar", fill=row.color))
        parts.append(text(_MARGIN + width + 5, y + 25, row.shown, size=10))
        y += 33
    if log_from is not None:
        parts.append(text(_MARGIN, y + 11, "logarithmic scale", size=10, css="quiet"))
        y += 14
    return drawing(y + 4, parts, title, description)


@dataclass(frozen=True)
class Span:
    """An interval of time in a lane, in milliseconds."""

    start: float
    end: float
    color: str = COOL
    label: str = ""


def lanes(
    title: str,
    rows: Mapping[str, Sequence[Span]],
    description: str,
) -> list[str]:
    """Draw a timeline: one lane per row, time in milliseconds to the right."""
    end = max(span.end for spans in rows.values() for span in spans)
    parts = [text(_MARGIN, 14, title)]

    def x(time: float) -> float:
        return _MARGIN + (WIDTH - 2 * _MARGIN) * time / end

    y = 22.0
    for name, spans in rows.items():
        parts.append(text(_MARGIN, y + 11, name, size=10, css="quiet"))
        for span in spans:
            left, width = x(span.start), x(span.end) - x(span.start)
            parts.append(rectangle(left, y + 15, max(width - 1, 1), 18, "bar", span.color))
            if span.label and width > _PER_LETTER * len(span.label) + 4:
                middle = left + width / 2
                parts.append(text(middle, y + 28, span.label, size=10, anchor="middle", css="on"))
        y += 38
    parts.append(line(_MARGIN, y + 2, WIDTH - _MARGIN, y + 2))
    parts += [
        text(x(time), y + 15, shown, size=10, anchor=anchor)
        for time, shown, anchor in ((0, "0", "start"), (end, f"{end:g} ms", "end"))
    ]
    y += 22
    return drawing(y + 4, parts, title, description)


@dataclass(frozen=True)
class Series:
    """Points (x, y) in the order of x; `joined` by a line, or a scatter plot."""

    name: str
    points: Sequence[tuple[float, float]]
    color: str = COOL
    joined: bool = True


@dataclass(frozen=True)
class Axis:
    """An axis. ticks: the labeled values; the first and last are the axis's ends."""

    label: str
    ticks: Sequence[float]
    log: bool = False
    shown: Callable[[float], str] = field(default=lambda value: f"{value:,g}")

    def at(self, value: float, begin: float, end: float) -> float:
        """Map a value to a position between `begin` and `end`."""
        return Scale(self.ticks[0], self.ticks[-1], begin, end, self.log).at(value)


def curves(
    title: str, across: Axis, up: Axis, series: Sequence[Series], description: str
) -> list[str]:
    """Draw lines over two axes, with a legend below."""
    left, right, top, bottom = 46, WIDTH - 14, 36, 190
    parts = [
        text(_MARGIN, 14, title),
        text(_MARGIN, 29, up.label, size=10, css="quiet"),
        line(left, bottom, right, bottom),
        line(left, top, left, bottom),
    ]
    for tick in across.ticks:
        place, anchor = across.at(tick, left, right), "middle"
        if tick == across.ticks[-1]:
            place, anchor = WIDTH - 4, "end"
        parts.append(text(place, bottom + 14, across.shown(tick), size=10, anchor=anchor))
    for tick in up.ticks:
        place = up.at(tick, bottom, top)
        parts.append(text(left - 5, place + 4, up.shown(tick), size=10, anchor="end"))
    parts.append(text(right, bottom + 28, across.label, size=10, anchor="end", css="quiet"))
    y = bottom + 34.0
    for each in series:
        places = [(across.at(x, left, right), up.at(v, bottom, top)) for x, v in each.points]
        if each.joined:
            parts.append(svg.polyline(places, style=f"stroke:{each.color};stroke-width:2"))
        parts += [dot(x, v, 3 if each.joined else 2, each.color) for x, v in places]
        parts += [dot(_MARGIN + 4, y + 7, 4, each.color)]
        parts.append(text(_MARGIN + 14, y + 11, each.name, size=10))
        y += LINE
    return drawing(y + 8, parts, title, description)


@dataclass(frozen=True)
class ChartNode:
    """A box with one or more lines of text. x, y: its center, in units of the drawing."""

    x: float
    y: float
    words: str
    color: str = ""
    width: float = 100


def graph(
    title: str,
    nodes: Mapping[str, ChartNode],
    edges: Sequence[tuple[str, str]],
    description: str,
    *,
    notes: Sequence[tuple[float, float, str]] = (),
) -> list[str]:
    """Draw boxes at the given positions, and arrows that point downwards.

    notes: (x, y, text).
    """
    parts = [text(_MARGIN, 14, title)]
    boxes = {name: _lines_of(node) for name, node in nodes.items()}
    for start, end in edges:
        a, b = nodes[start], nodes[end]
        top = b.y - _half(boxes[end])
        parts.append(line(a.x, a.y + _half(boxes[start]), b.x, top - 6, "edge"))
        parts.append(svg.tip(b.x, top, class_="tip"))
    for name, node in nodes.items():
        half = _half(boxes[name])
        left = node.x - node.width / 2
        css = "bar" if node.color else "box"
        parts.append(rectangle(left, node.y - half, node.width, 2 * half, css, node.color))
        first = node.y - half + 5 + SIZE
        for number, words in enumerate(boxes[name]):
            css = "on" if node.color else ""
            y = first + LINE * number
            parts.append(text(node.x, y, words, size=10, anchor="middle", css=css))
    parts += [text(x, y, words, size=10, css="quiet") for x, y, words in notes]
    lowest = [node.y + _half(boxes[name]) for name, node in nodes.items()]
    return drawing(max([*lowest, *(y for _, y, _ in notes)]) + 12, parts, title, description)


def _lines_of(node: ChartNode) -> list[str]:
    margin = 18 if node.color else 6  # text on a color is bold
    return wrapped(node.words, node.width - margin, 10)


def _half(lines: Sequence[str]) -> float:
    return (len(lines) * LINE + 8) / 2


_SIDE = 26
"""Side of a square of a grid, with the gap."""


@dataclass(frozen=True)
class GridCell:
    """One square of a grid, with a text of at most a few letters."""

    words: str = ""
    color: str = ""


def grid(
    title: str,
    rows: Sequence[tuple[str, Sequence[GridCell]]],
    description: str,
    *,
    notes: Sequence[str] = (),
) -> list[str]:
    """Draw rows of squares, each row below its name; notes: lines of text below."""
    parts = [text(_MARGIN, 14, title)]
    y = 22.0
    for name, cells in rows:
        if name:
            parts.append(text(_MARGIN, y + 11, name, size=10, css="quiet"))
            y += 15
        for number, cell in enumerate(cells):
            x = _MARGIN + number * _SIDE
            css = "bar" if cell.color else "box"
            parts.append(rectangle(x, y, _SIDE - 2, _SIDE - 2, css, cell.color))
            if cell.words:
                css = "on" if cell.color else ""
                middle = x + (_SIDE - 2) / 2
                place = y + _SIDE / 2 + 3
                parts.append(text(middle, place, cell.words, size=10, anchor="middle", css=css))
        y += _SIDE + (6 if name else 0)
    for note in notes:
        for words in wrapped(note, WIDTH - 2 * _MARGIN, 10):
            parts.append(text(_MARGIN, y + 11, words, size=10, css="quiet"))
            y += LINE
    return drawing(y + 6, parts, title, description)
