"""Draws recorded step times beside what the fitted model says.

cd curriculum/llm_serving_engine/figures && python steps.py > steps.svg
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

from hotloop.core import paths
from hotloop.site.drawing import COLOURS, dot, drawing, line

HERE = Path(__file__).parent
Axes: Any = runpy.run_path(str(HERE / "axes.py"))["Axes"]


def main() -> None:
    """Print the picture."""
    text = (HERE.parent / "recordings" / "steps.json").read_text(encoding="utf-8")
    recorded = json.loads(text)
    given = paths.solutions() / "llm_serving_engine" / "step_times.json"
    fitted = json.loads(given.read_text(encoding="utf-8"))
    axes = Axes((0, 60), (0, 60))
    marks = (0, 20, 40, 60)
    parts = axes.drawn(marks, marks, "fitted ms; upwards: recorded ms")
    (left, low), (right, high) = axes.at(0, 0), axes.at(60, 60)
    parts.append(line(left, low, right, high))
    for step in recorded["steps"]:
        ms = fitted["base"] + sum(fitted[n] * step[f"{n}s"] for n in ("row", "token"))
        ms += fitted["context"] * step["context"]
        x, y = axes.at(min(ms, 60), min(step["ms"], 60))
        parts.append(dot(x, y, 2, COLOURS[1]))
    told = (
        f"{len(recorded['steps'])} recorded steps lie around the line on which fitted and recorded "
        f"times are equal; the median error is {recorded['median_error']:.0%}."
    )
    print("\n".join(drawing(236, parts, "Recorded step times and the fitted model", told)))


if __name__ == "__main__":
    main()
