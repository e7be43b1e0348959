"""Draws the throughput of three batching settings by the number of clients.

The data: the recorded output of the proof batcher_model.

cd curriculum/triton_ensemble/figures && python throughput.py > throughput.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Axis, Series, curves, recorded


def main() -> None:
    """Print the picture."""
    series: list[Series] = []
    colors = iter((HOT, LEAF, COOL))
    for line in recorded("triton_ensemble", "batcher_model"):
        points = [(float(c), float(r)) for c, r in re.findall(r"c=(\d+): +(\d+)/s", line)]
        if points:
            series.append(Series(re.split(r"  +", line)[0], points, next(colors)))
    at_once, waiting = (dict(each.points) for each in series[1:])
    told = (
        f"With sixteen clients both batchers reach {waiting[16]:.0f} requests a second. With one, "
        f"the batcher that waits for a preferred size serves {waiting[1]:.0f} instead of "
        f"{at_once[1]:.0f}."
    )
    across = Axis("clients", (1, 4, 16), log=True)
    up = Axis("requests per second", (0, 1000, 2000, 3000))
    print("\n".join(curves("Batching, assumed costs of a model", across, up, series, told)))


if __name__ == "__main__":
    main()
