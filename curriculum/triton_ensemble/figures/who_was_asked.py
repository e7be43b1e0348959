"""Draws one stall as a closed loop sees it and as users do, from proofs/coordinated_omission.py.

cd curriculum/triton_ensemble/figures && python who_was_asked.py > who_was_asked.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.core import svg
from hotloop.core.svg import Scale

PROOF = Path(__file__).parents[1] / "proofs" / "coordinated_omission.py"
MODEL: dict[str, Any] = runpy.run_path(str(PROOF))

WIDTH, LEFT, TOP, HEIGHT = 720, 40, 20, 150
FROM_MS, TO_MS, MOST_MS = 8_500.0, 11_500.0, 1_050.0
COLORS = {"closed": svg.BLUE, "due": svg.YELLOW}
ACROSS, UP = Scale(FROM_MS, TO_MS, LEFT, WIDTH - 10), Scale(0, MOST_MS, TOP + HEIGHT, TOP)

Request = tuple[float, float]
"""When it was sent or due, and its latency, in milliseconds."""


def dots(requests: list[Request], kind: str, radius: float) -> list[str]:
    """Requests, at the time when they were sent or due."""
    style = {"fill": COLORS[kind]}
    return [svg.circle(ACROSS.at(when), UP.at(ms), radius, **style) for when, ms in requests]


def shown(requests: list[Request]) -> list[Request]:
    """Those near the stall."""
    return [request for request in requests if FROM_MS <= request[0] <= TO_MS]


def main() -> None:
    """Print the picture."""
    interval = 10.0
    _, from_due = MODEL["open_loop"](interval)
    due = [(n * interval, ms) for n, ms in enumerate(from_due) if n % 2 == 0]
    closed: list[Request] = []
    sent = 0.0
    for ms in MODEL["closed_loop"](5.0):
        closed.append((sent, ms))
        sent += ms + 5.0
    # Every third of those that are fast: they lie on one another.
    kept = [one for n, one in enumerate(closed) if n % 3 == 0 or one[1] > MOST_MS / 2]
    parts = [svg.text(0, 12, "latency, ms")]
    for value in (0, 500, 1000):
        y = UP.at(value)
        parts.append(svg.text(0, y + 4, str(value)))
        parts.append(svg.line(LEFT, y, WIDTH - 10, y, stroke_opacity=0.2))
    parts += dots(shown(due), "due", 2) + dots(shown(kept), "closed", 3)
    y = TOP + HEIGHT + 16
    parts.append(svg.text(LEFT, y, f"{FROM_MS / 1e3:g} s"))
    parts.append(svg.text(WIDTH - 10, y, f"{TO_MS / 1e3:g} s", text_anchor="end"))
    legend = [("closed", "closed loop: one request saw the stall"), ("due", "when due: every user")]
    for index, (kind, words) in enumerate(legend):
        x = LEFT + index * 260
        parts.append(svg.circle(x + 5, y + 18, 4, fill=COLORS[kind]))
        parts.append(svg.text(x + 16, y + 22, words))
    told = "Latency around a stall of one second"
    print(svg.picture(WIDTH, TOP + HEIGHT + 50, parts, told, font_size=11))


if __name__ == "__main__":
    main()
