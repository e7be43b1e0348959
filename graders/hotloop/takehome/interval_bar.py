"""An interval of points as a small drawing: what is certain is solid, what is open is hatched.

Plain SVG in the text's own colour, so that it fits light pages, dark ones and paper.
"""

from __future__ import annotations

from html import escape

from hotloop.course.render_record import number
from hotloop.takehome.intervals import Interval, said

_WIDTH, _HEIGHT = 200, 12
_CERTAIN = "#2f81f7"


def svg(points: Interval, possible: float, what: str) -> str:
    """One bar. Nothing is drawn of what has no points."""
    if possible <= 0:
        return ""
    low, high = (_WIDTH * min(1.0, bound / possible) for bound in (points.low, points.high))
    spoken = f"{what}: {said_points(points, possible)}"
    hatched = "".join(
        f'<path d="M{x:.1f} {_HEIGHT - 1}L{min(x + 6, high):.1f} 1" stroke="currentColor" '
        'stroke-width="1" opacity="0.6"/>'
        for x in _steps(low, high)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(spoken)}" class="bar">'
        f'<rect x="0.5" y="0.5" width="{_WIDTH - 1}" height="{_HEIGHT - 1}" rx="2" fill="none" '
        'stroke="currentColor" opacity="0.4"/>'
        f'<rect x="1" y="1" width="{max(0.0, low - 1):.1f}" height="{_HEIGHT - 2}" '
        f'fill="{_CERTAIN}"/>{hatched}</svg>'
    )


def said_points(points: Interval, possible: float) -> str:
    """`7 of 10`, or `7 to 9 of 10` where points are open."""
    return f"{said(points)} of {number(possible)}"


def _steps(low: float, high: float) -> list[float]:
    count = int((high - low) // 6)
    return [low + 6 * step for step in range(count + 1)] if high - low > 1 else []
