"""Draws one stall as a closed loop sees it and as users do, from proofs/coordinated_omission.py.

cd curriculum/triton_ensemble/figures && python who_was_asked.py > who_was_asked.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

PROOF = Path(__file__).parents[1] / "proofs" / "coordinated_omission.py"
MODEL: dict[str, Any] = runpy.run_path(str(PROOF))

WIDTH, LEFT, TOP, HEIGHT = 720, 40, 20, 150
FROM_MS, TO_MS, MOST_MS = 8_500.0, 11_500.0, 1_050.0
COLOURS = {"closed": "#0072b2", "due": "#e69f00"}


def dot(when: float, latency: float, kind: str, radius: float) -> str:
    """A request, at the time when it was sent or due."""
    if not FROM_MS <= when <= TO_MS:
        return ""
    x = LEFT + (when - FROM_MS) / (TO_MS - FROM_MS) * (WIDTH - LEFT - 10)
    y = TOP + HEIGHT * (1 - latency / MOST_MS)
    fill = COLOURS[kind]
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}"/>'


def text(x: float, y: float, words: str) -> str:
    """Words in the page's own colour."""
    return f'<text x="{x:g}" y="{y:g}" font-size="11" fill="currentColor">{words}</text>'


def main() -> None:
    """Print the picture."""
    interval = 10.0
    _, from_due = MODEL["open_loop"](interval)
    due = [dot(n * interval, ms, "due", 2) for n, ms in enumerate(from_due) if n % 2 == 0]
    closed: list[str] = []
    sent = 0.0
    for ms in MODEL["closed_loop"](5.0):
        closed.append(dot(sent, ms, "closed", 3))
        sent += ms + 5.0
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TOP + HEIGHT + 50}" '
        'role="img" font-family="sans-serif"><title>Latency around a stall of one second</title>'
    )
    print(text(0, 12, "latency, ms"))
    for value in (0, 500, 1000):
        y = TOP + HEIGHT * (1 - value / MOST_MS)
        print(text(0, y + 4, str(value)))
        print(
            f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" '
            'stroke="currentColor" stroke-opacity="0.2"/>'
        )
    # Every third of those that are fast: they lie on one another.
    print("\n".join(element for element in [*due, *closed[::3]] if element))
    slow = [element for element in closed if element and element not in closed[::3]]
    print("\n".join(element for element in slow if _high(element)))
    y = TOP + HEIGHT + 16
    print(text(LEFT, y, f"{FROM_MS / 1e3:g} s"))
    print(text(WIDTH - 44, y, f"{TO_MS / 1e3:g} s"))
    legend = [("closed", "closed loop: one request saw the stall"), ("due", "when due: every user")]
    for index, (kind, words) in enumerate(legend):
        x = LEFT + index * 260
        print(f'<circle cx="{x + 5}" cy="{y + 18}" r="4" fill="{COLOURS[kind]}"/>')
        print(text(x + 16, y + 22, words))
    print("</svg>")


def _high(element: str) -> bool:
    return float(element.split('cy="')[1].split('"')[0]) < TOP + HEIGHT / 2


if __name__ == "__main__":
    main()
