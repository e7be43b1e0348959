"""Draws what a model instance does under two batchers, from proofs/batcher_model.py.

cd curriculum/triton_ensemble/figures && python batcher_timeline.py > batcher_timeline.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.core import svg

PROOF = Path(__file__).parents[1] / "proofs" / "batcher_model.py"
MODEL: dict[str, Any] = runpy.run_path(str(PROOF))

WIDTH, LEFT, SCALE, ROW = 720, 4, 46.0, 20
SHOWN = 15.0  # milliseconds
COLORS = {"waits": svg.YELLOW, "runs": svg.BLUE}
EAGER, PATIENT = MODEL["BATCHERS"][1], MODEL["BATCHERS"][2]
PANELS = [
    ("1 client, dynamic_batching { }", EAGER, 1),
    ("1 client, preferred [8, 16] and 2 ms", PATIENT, 1),
    ("4 clients, dynamic_batching { }", EAGER, 4),
    ("4 clients, preferred [8, 16] and 2 ms", PATIENT, 4),
    ("16 clients, dynamic_batching { }", EAGER, 16),
    ("16 clients, preferred [8, 16] and 2 ms", PATIENT, 16),
]


def bar(start: float, end: float, y: int, kind: str, title: str) -> str:
    """A rectangle from one millisecond to another, with a tooltip."""
    end = min(end, SHOWN)
    if start >= end:
        return ""
    x, width = LEFT + start * SCALE, (end - start) * SCALE
    opacity = 0.5 if kind == "waits" else 1
    style = {"fill": COLORS[kind], "fill_opacity": opacity, "title": title}
    return svg.rect(x, y, max(width - 1, 0.6), ROW - 4, **style)


def panel(title: str, batcher: Any, clients: int, top: int) -> list[str]:
    """One row: the instance runs batches, and in between it waits for more rows."""
    done = MODEL["simulate"](batcher, clients)
    rate = MODEL["per_second"](done)
    drawn = [svg.text(LEFT, top + 13, f"{title}: {rate:.0f} rows/s", font_size=12)]
    y, reached = top + ROW - 4, 0.0
    for run in done:
        if run.began >= SHOWN:
            break
        drawn.append(bar(reached, run.began, y, "waits", f"waits {run.began - reached:.2f} ms"))
        told = f"{run.rows} rows, {run.ended - run.began:.2f} ms"
        drawn.append(bar(run.began, run.ended, y, "runs", told))
        if run.began + 0.3 < SHOWN:
            x = LEFT + run.began * SCALE + 4
            drawn.append(svg.text(x, y + 12, str(run.rows), fill="#ffffff"))
        reached = run.ended
    return [element for element in drawn if element]


def main() -> None:
    """Print the picture."""
    step = 2 * ROW + 8
    height = len(PANELS) * step + 20
    drawn: list[str] = []
    for index, (title, batcher, clients) in enumerate(PANELS):
        drawn += panel(title, batcher, clients, index * step)
    legend = [("runs", "a batch, with its rows"), ("waits", "the instance waits for more rows")]
    for index, (kind, words) in enumerate(legend):
        drawn.append(svg.key(LEFT + index * 200, height - 16, words, COLORS[kind]))
    told = "Batches under two settings of the batcher"
    print(svg.picture(WIDTH, height, drawn, told, font_size=11))


if __name__ == "__main__":
    main()
