"""Draws recorded step times beside what the fitted model says.

cd curriculum/llm_serving_engine/figures && python steps.py > steps.svg
"""

import json
from pathlib import Path

from hotloop.core import paths
from hotloop.site.charts import COOL, HOT, Axis, Series, curves

RECORDED = Path(__file__).parents[1] / "recordings" / "steps.json"
FITTED = paths.exercises() / "llm_serving_engine" / "step_times.json"
MOST = 60
TICKS = (0, 20, 40, MOST)


def main() -> None:
    """Print the picture."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    fitted = json.loads(FITTED.read_text(encoding="utf-8"))
    points: list[tuple[float, float]] = []
    for step in recorded["steps"]:
        ms = fitted["base"] + sum(fitted[n] * step[f"{n}s"] for n in ("row", "token"))
        ms += fitted["context"] * step["context"]
        points.append((min(ms, MOST), min(step["ms"], MOST)))
    series = [
        Series("a recorded step", points, COOL, joined=False),
        Series("fitted = recorded", [(0, 0), (MOST, MOST)], HOT),
    ]
    told = (
        f"{len(points)} recorded steps lie around the line on which fitted and recorded times are "
        f"equal; the median error is {recorded['median_error']:.0%}."
    )
    title = "Recorded step times and the fitted model"
    across, up = Axis("fitted, ms", TICKS), Axis("recorded, ms", TICKS)
    print("\n".join(curves(title, across, up, series, told)))


if __name__ == "__main__":
    main()
