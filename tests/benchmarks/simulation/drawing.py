"""Draws lines over the number of devices as a self-contained SVG for light and dark pages."""

import math
from collections.abc import Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 76, 190, 44, 52
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
DASHES = ("", "7 4", "2 4", "9 3 2 3")
INK = "#7a7a7a"


def chart(
    title: str, x_name: str, y_name: str, lines: Mapping[str, Points], mark: tuple[float, str]
) -> str:
    """Return a chart with two logarithmic axes. mark: a y value drawn as a line, and its label."""
    xs = [x for points in lines.values() for x, _ in points]
    ys = [y for points in lines.values() for _, y in points] + [mark[0]]
    frame = _Frame(min(xs), max(xs), 10 ** math.floor(math.log10(min(ys))), max(ys) * 1.3)
    parts = [_text(LEFT, 22, title, size=15), *_axes(frame, sorted(set(xs)), x_name, y_name)]
    y = frame.y(mark[0])
    parts.append(_line(LEFT, y, WIDTH - RIGHT, y, INK, "4 4"))
    parts.append(_text(WIDTH - RIGHT + 6, y + 4, mark[1]))
    for number, (name, points) in enumerate(lines.items()):
        parts += _drawn(frame, name, points, number)
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif"><title>{escape(title)}</title>\n{body}\n</svg>\n'
    )


class _Frame:
    def __init__(self, x_low: float, x_high: float, y_low: float, y_high: float) -> None:
        self.x_low, self.x_high = math.log(x_low), math.log(x_high)
        self.low, self.high = math.log(y_low), math.log(y_high)

    def x(self, value: float) -> float:
        span = (self.x_high - self.x_low) or 1.0
        return LEFT + (math.log(value) - self.x_low) / span * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        part = (math.log(value) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)

    def decades(self) -> list[float]:
        first = math.ceil(self.low / math.log(10) - 1e-9)
        last = math.floor(self.high / math.log(10) + 1e-9)
        return [10.0**power for power in range(first, last + 1)]


def _axes(frame: _Frame, xs: Sequence[float], x_name: str, y_name: str) -> list[str]:
    floor = HEIGHT - BOTTOM
    parts = [_line(LEFT, floor, WIDTH - RIGHT, floor, INK), _line(LEFT, TOP, LEFT, floor, INK)]
    parts += [_text(frame.x(x), floor + 18, f"{x:g}", anchor="middle") for x in xs]
    for y in frame.decades():
        place = frame.y(y)
        parts.append(_line(LEFT, place, WIDTH - RIGHT, place, "#7a7a7a40"))
        parts.append(_text(LEFT - 8, place + 4, f"{y:g}", anchor="end"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_name, anchor="middle"))
    parts.append(_text(LEFT, TOP - 6, y_name))
    return parts


def _drawn(frame: _Frame, name: str, points: Points, number: int) -> list[str]:
    colour = COLOURS[number % len(COLOURS)]
    places = [(frame.x(x), frame.y(y)) for x, y in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dashes = DASHES[number % len(DASHES)]
    y, edge = TOP + 14 + 20 * number, WIDTH - RIGHT
    pen = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"'
    return [
        f'<polyline points="{path}" fill="none" {pen}/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places),
        f'<line x1="{edge + 6}" y1="{y}" x2="{edge + 34}" y2="{y}" {pen}/>',
        _text(edge + 40, y + 4, name),
    ]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, dashes: str = "") -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-dasharray="{dashes}"/>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{INK}" '
        f'text-anchor="{anchor}">{escape(text)}</text>'
    )
