"""Axes and lines that the module's plots share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hotloop.site.drawing import COLOURS, dot, line, text

LEFT, RIGHT, TOP, BOTTOM = 44, 346, 24, 200


@dataclass(frozen=True)
class Axes:
    """From value to place. Logarithmic upwards where `log` says so."""

    x: tuple[float, float]
    y: tuple[float, float]
    log: bool = False

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place of a point."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        low, high = (math.log10(v) if self.log else v for v in self.y)
        up = ((math.log10(y) if self.log else y) - low) / (high - low)
        return LEFT + (RIGHT - LEFT) * across, BOTTOM - (BOTTOM - TOP) * up

    def drawn(self, xs: Sequence[float], ys: Sequence[float], name: str) -> list[str]:
        """Both axes with these marks, and what they show."""
        parts = [line(LEFT, BOTTOM, RIGHT, BOTTOM), line(LEFT, TOP, LEFT, BOTTOM)]
        across = [(self.at(x, ys[0])[0], f"{x:g}") for x in xs]
        up = [(self.at(xs[0], y)[1], f"{y:g}") for y in ys]
        parts += [text(x, BOTTOM + 14, told, size=10, anchor="middle") for x, told in across]
        parts += [text(LEFT - 4, y + 4, told, size=10, anchor="end") for y, told in up]
        return [*parts, text(LEFT, BOTTOM + 30, name, size=10)]

    def curve(self, points: Sequence[tuple[float, float]], number: int, name: str) -> list[str]:
        """A line with dots, in the colour of this number, and its name in a legend."""
        places = [self.at(x, y) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        colour = COLOURS[number]
        drawn = f'<polyline points="{path}" fill="none" style="stroke:{colour}" class="edge"/>'
        y = TOP + 14 * number
        legend = [dot(LEFT + 14, y, 4, colour), text(LEFT + 24, y + 4, name, size=10)]
        return [drawn, *(dot(px, py, 3, colour) for px, py in places), *legend]
