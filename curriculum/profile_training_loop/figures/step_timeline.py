"""Draws who works when in four training loops, from the model of proofs/two_clocks.py.

cd curriculum/profile_training_loop/figures && python step_timeline.py > step_timeline.svg
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hotloop.core import svg

MODEL: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "two_clocks.py"))
Line: Callable[..., Any] = MODEL["Line"]
WORK: list[Any] = MODEL["WORK"]

WIDTH, LEFT, SCALE, ROW = 720, 64, 5.0, 18
SHOWN = 130  # milliseconds
COLORS = {"host": svg.BLUE, "device": svg.GREEN, "waits": "#bbbbbb", "idle": svg.YELLOW}
PANELS: list[tuple[str, list[Any]]] = [
    ("reads the loss in every step", [*WORK, MODEL["READ"]]),
    ("reads nothing", WORK),
    ("waits for the loader", [Line("next(loader)", host=40), *WORK[1:]]),
    ("launches more than it computes", [Line("small", host=3, device=1) for _ in range(14)]),
]


def bar(start: float, end: float, y: int, fill: str, title: str, opacity: float = 1.0) -> str:
    """A rectangle from one millisecond to another, with a tooltip."""
    end = min(end, SHOWN)
    if start >= end:
        return ""
    x, width = LEFT + start * SCALE, (end - start) * SCALE
    style = {"fill": fill, "fill_opacity": opacity, "title": title}
    return svg.rect(x, y, max(width - 0.8, 0.6), ROW - 4, **style)


def panel(title: str, step: list[Any], top: int) -> list[str]:
    """The host's row, the device's row, and the device's idle gaps."""
    timeline = MODEL["simulate"](step, 12)
    host, device = top + ROW, top + 2 * ROW
    drawn = [svg.text(2, top + 13, title, font_size=12)]
    drawn += [svg.text(2, host + 11, "host"), svg.text(2, device + 11, "device")]
    for name, start, end in timeline.host:
        waits = next(line.waits for line in step if line.name == name)
        color = COLORS["waits" if waits else "host"]
        drawn.append(bar(start, end, host, color, f"{name}: {end - start} ms"))
    reached = 0
    for name, start, end in timeline.device:
        drawn.append(
            bar(reached, start, device, COLORS["idle"], f"idle {start - reached} ms", 0.45)
        )
        drawn.append(bar(start, end, device, COLORS["device"], f"{name}: {end - start} ms"))
        reached = end
    return [element for element in drawn if element]


def main() -> None:
    """Print the picture."""
    height = len(PANELS) * 4 * ROW + 24
    drawn: list[str] = []
    for index, (title, step) in enumerate(PANELS):
        drawn += panel(title, step, index * 4 * ROW)
    legend = [("host", "host works"), ("waits", "host waits"), ("device", "device works")]
    for index, (kind, words) in enumerate([*legend, ("idle", "device is idle")]):
        opacity = 0.45 if kind == "idle" else 1
        x, y = LEFT + index * 150, height - 18
        drawn.append(svg.key(x, y, words, COLORS[kind], fill_opacity=opacity))
    told = "Host and device in four training loops"
    print(svg.picture(WIDTH, height, drawn, told, font_size=11))


if __name__ == "__main__":
    main()
