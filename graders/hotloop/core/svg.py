"""SVG pictures: shapes and escaped text, an accessible name, and scales for axes.

Text and lines have the page's own color unless another one is given, so that a picture works on
light and dark pages. Standard library only: notebooks and the lessons' files draw with it too.

    svg.picture(200, 40, [svg.rect(8, 8, 120, 12, fill=svg.BLUE), svg.text(134, 18, "120 ms")],
                "Time of a call", "naive: 120 ms")
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
YELLOW, SKY, GRAY = "#e69f00", "#56b4e9", "#999999"
"""Distinct with color blindness too, on light and dark pages."""

PAGE = "currentColor"
"""The color of text on the page."""

Value = str | float | None


def element(name: str, /, *content: str, title: Value = "", **attributes: Value) -> str:
    """Return an element.

    content: elements, or escaped text. title: a tooltip. attributes: `stroke_width` is written as
    `stroke-width`, and `class_` as `class`; None and "" are left out; numbers are rounded to two
    decimals, and texts escaped.
    """
    head = ""
    for key, value in attributes.items():
        if value is not None and value != "":
            written = escape(value) if isinstance(value, str) else number(value)
            head += f' {key.rstrip("_").replace("_", "-")}="{written}"'
    inside = (f"<title>{escape(str(title))}</title>" if title else "") + "".join(content)
    return f"<{name}{head}>{inside}</{name}>" if inside else f"<{name}{head}/>"


def rect(x: Value, y: Value, width: Value, height: Value, **style: Value) -> str:
    """Draw a rectangle; `rx` rounds its corners."""
    return element("rect", **{"x": x, "y": y, "width": width, "height": height, **style})


def circle(x: Value, y: Value, radius: Value, **style: Value) -> str:
    """Draw a circle around (x, y)."""
    return element("circle", **{"cx": x, "cy": y, "r": radius, **style})


def line(x1: Value, y1: Value, x2: Value, y2: Value, **style: Value) -> str:
    """Draw a straight line."""
    return element("line", **{"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": PAGE, **style})


def path(way: str, **style: Value) -> str:
    """Draw a line along `way`, in SVG's commands, such as `M0 0 H20`."""
    return element("path", **{"d": way, "fill": "none", "stroke": PAGE, **style})


def polyline(points: Iterable[tuple[float, float]], **style: Value) -> str:
    """Draw straight lines from each point to the next."""
    places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return element("polyline", **{"points": places, "fill": "none", "stroke": PAGE, **style})


def tip(x: float, y: float, to: str = "down", **style: Value) -> str:
    """Draw the tip of an arrow that ends at (x, y). to: down, right or left."""
    sides = {"down": "l-4 -7h8", "right": "l-7 -4v8", "left": "l7 -4v8"}
    way = f"M{number(x)} {number(y)}{sides[to]}z"
    return element("path", **{"d": way, "fill": PAGE, **style})


def curve(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return the way from a point down to another one, vertical at both, for `path`."""
    middle = (y1 + y2) / 2
    points = ((x1, middle), (x2, middle), (x2, y2))
    return f"M{number(x1)} {number(y1)}C" + " ".join(f"{number(x)} {number(y)}" for x, y in points)


def text(x: Value, y: Value, words: str, **style: Value) -> str:
    """Write one line of text, which begins at x, with its baseline at y.

    `text_anchor="middle"` or `"end"` centers it at x, or ends it there.
    """
    return element("text", escape(words), **{"x": x, "y": y, "fill": PAGE, **style})


def key(x: float, y: float, words: str, fill: str, **style: Value) -> str:
    """Draw an entry of a legend: a square of a color, and what it stands for."""
    return rect(x, y, 12, 12, fill=fill, **style) + text(x + 18, y + 10, words)


def picture(
    width: float,
    height: float,
    parts: Sequence[str],
    title: str,
    description: str = "",
    /,
    **attributes: Value,
) -> str:
    """Return a picture of `parts`, drawn from (0, 0) to (width, height), as an SVG file's text.

    Each part is a line of it, and no line is empty, so that it can stand in Markdown.

    title and description: what it shows, for readers who cannot see it. attributes: such as
    `width`, where a page must not scale it; `font_size` is 12.
    """
    label = f"{title}. {description}" if description else title
    own: dict[str, Value] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {number(width)} {number(height)}",
        "role": "img",
        "aria_label": " ".join(label.split()),
        "font_family": "system-ui, sans-serif",
        "font_size": 12,
    }
    lines = [f"\n{part}" for part in parts]
    return element("svg", *lines, "\n", **{**own, **attributes})


def number(value: float) -> str:
    """Return a number with at most two decimals."""
    return f"{round(value, 2):.10g}"


@dataclass(frozen=True)
class Scale:
    """Maps values from `low` to `high` to places from `begin` to `end`. log: logarithmic."""

    low: float
    high: float
    begin: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value; with one value only, the begin."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.begin + (self.end - self.begin) * (value - low) / ((high - low) or 1.0)
