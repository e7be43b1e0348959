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
    told = (
        "With sixteen clients both batchers reach 2694 requests a second. With one, the batcher "
        "that waits for a preferred size serves 379 instead of 1562."
    )
    across = Axis("clients", (1, 4, 16), log=True)
    up = Axis("requests per second", (0, 1000, 2000, 3000))
    print("\n".join(curves("Batching, assumed costs of a model", across, up, series, told)))


if __name__ == "__main__":
    main()
