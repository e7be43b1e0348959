"""Draws the useful share of the time by the checkpoint interval, from the proof how_often_to_save.

cd curriculum/portable_trainer/figures && python how_often.py > how_often.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import HOT, Axis, Series, curves, recorded


def main() -> None:
    """Print the picture."""
    points = [
        (float(found[1]), float(found[2]))
        for line in recorded("portable_trainer", "how_often_to_save")
        if (found := re.match(r" +every +(\d+) minutes: (\d+) %", line))
    ]
    best = max(points, key=lambda point: point[1])
    told = (
        f"The useful share is largest, {best[1]:g} %, when a checkpoint is saved every "
        f"{best[0]:g} minutes."
    )
    across = Axis("minutes between checkpoints", (2, 10, 30, 60, 180), log=True)
    up = Axis("% of the time that is useful", (40, 60, 80, 100))
    series = [Series("a checkpoint of 60 s, a failure every 2.8 h", points, HOT)]
    print("\n".join(curves("How often to save", across, up, series, told)))


if __name__ == "__main__":
    main()
