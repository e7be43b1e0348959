"""Draws the load of eight ranks under three placements of 64 experts.

cd curriculum/mixture_of_experts/figures && python loads.py > loads.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.site.charts import Axis, Series, curves
from hotloop.site.drawing import COLORS

PLACED: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "placements.py"))


def main() -> None:
    """Print the picture."""
    loads = PLACED["drawn"]()
    series = [
        Series(name, list(enumerate(sorted(PLACED["on_ranks"](loads, placed), reverse=True), 1)), c)
        for c, (name, placed) in zip(COLORS, PLACED["made"](loads).items(), strict=False)
    ]
    highest = max(load for each in series for _, load in each.points)
    ticks = tuple(range(int(highest) + 2))
    told = "; ".join(f"{s.name}: {', '.join(f'{y:.2f}' for _, y in s.points)}" for s in series)
    across = Axis("ranks, the fullest first", tuple(range(1, 9)))
    up = Axis("load of a rank over the mean", ticks)
    print("\n".join(curves("Loads of ranks", across, up, series, f"{told}.")))


if __name__ == "__main__":
    main()
