"""Draws lines over the number of devices as a self-contained SVG for light and dark pages."""

import math
from collections.abc import Mapping, Sequence

from hotloop.core import svg
from hotloop.core.svg import Scale

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 76, WIDTH - 190, 44, HEIGHT - 52
COLORS = (svg.BLUE, svg.ORANGE, svg.GREEN, svg.PINK)
DASHES = ("", "7 4", "2 4", "9 3 2 3")
INK = {"fill": "#7a7a7a"}
PEN = {"stroke": "#7a7a7a"}


def chart(
    title: str, x_name: str, y_name: str, lines: Mapping[str, Points], mark: tuple[float, str]
) -> str:
    """Return a chart with two logarithmic axes. mark: a y value drawn as a line, and its label."""
    xs = sorted({x for points in lines.values() for x, _ in points})
    ys = [y for points in lines.values() for _, y in points] + [mark[0]]
    across = Scale(xs[0], xs[-1], LEFT, RIGHT, log=True)
    up = Scale(10 ** math.floor(math.log10(min(ys))), max(ys) * 1.3, BOTTOM, TOP, log=True)
    y = up.at(mark[0])
    parts = [
        svg.text(LEFT, 22, title, font_size=15, **INK),
        *_axes(across, up, xs, x_name, y_name),
        svg.line(LEFT, y, RIGHT, y, stroke_dasharray="4 4", **PEN),
        svg.text(RIGHT + 6, y + 4, mark[1], **INK),
    ]
    for number, (name, points) in enumerate(lines.items()):
        places = [(across.at(x), up.at(y)) for x, y in points]
        parts += _drawn(places, name, number)
    return svg.picture(WIDTH, HEIGHT, parts, title)


def _axes(across: Scale, up: Scale, xs: Sequence[float], x_name: str, y_name: str) -> list[str]:
    middle = {"text_anchor": "middle", **INK}
    parts = [svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, **PEN), svg.line(LEFT, TOP, LEFT, BOTTOM, **PEN)]
    parts += [svg.text(across.at(x), BOTTOM + 18, f"{x:g}", **middle) for x in xs]
    last = math.floor(math.log10(up.high) + 1e-9)
    for power in range(round(math.log10(up.low)), last + 1):
        place = up.at(10.0**power)
        parts.append(svg.line(LEFT, place, RIGHT, place, stroke="#7a7a7a40"))
        parts.append(svg.text(LEFT - 8, place + 4, f"{10.0**power:g}", text_anchor="end", **INK))
    parts.append(svg.text((LEFT + RIGHT) / 2, HEIGHT - 10, x_name, **middle))
    parts.append(svg.text(LEFT, TOP - 6, y_name, **INK))
    return parts


def _drawn(places: Points, name: str, number: int) -> list[str]:
    color = COLORS[number % len(COLORS)]
    dashes = DASHES[number % len(DASHES)]
    y = TOP + 14 + 20 * number
    pen = {"stroke": color, "stroke_width": 2, "stroke_dasharray": dashes}
    return [
        svg.polyline(places, **pen),
        *(svg.circle(x, y, 3, fill=color) for x, y in places),
        svg.line(RIGHT + 6, y, RIGHT + 34, y, **pen),
        svg.text(RIGHT + 40, y + 4, name, **INK),
    ]
