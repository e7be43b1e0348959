"""Draws what more instances of a model gain, from the proof instances.

cd curriculum/triton_ensemble/figures && python instances.py > instances.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Axis, Series, curves, recorded


def main() -> None:
    """Print the picture."""
    series: list[Series] = []
    colors = iter((LEAF, COOL, HOT))
    for line in recorded("triton_ensemble", "instances"):
        points = [(float(c), float(r)) for c, r in re.findall(r"(\d+) instances: +(\d+)/s", line)]
        if points:
            series.append(Series(re.split(r"  +", line)[0], points, next(colors)))
    told = (
        "A model that waits scales with its instances. One that computes is limited by the "
        "cores, and too many instances slow it down."
    )
    across = Axis("instances", (1, 2, 4, 8), log=True)
    up = Axis("requests per second", (0, 1000, 2000, 3000))
    print("\n".join(curves("Instances of one model, modeled", across, up, series, told)))


if __name__ == "__main__":
    main()
