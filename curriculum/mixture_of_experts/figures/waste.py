"""Draws which share of its rows a grouped product wastes, by tile height and rows an expert.

cd curriculum/mixture_of_experts/figures && python waste.py > waste.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.site.charts import Axis, Series, curves
from hotloop.site.drawing import COLORS

DISPATCH: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "dispatch.py"))


def main() -> None:
    """Print the picture."""
    found: dict[int, list[tuple[int, float]]] = DISPATCH["waste"]()
    series = [
        Series(f"tiles of {height} rows", [(rows, 100 * share) for rows, share in points], color)
        for color, (height, points) in zip(COLORS, found.items(), strict=False)
    ]
    across = Axis("rows an expert on average", (1, 4, 16, 64, 256, 1024), log=True)
    up = Axis("% of the computed rows that are empty", (0, 25, 50, 75, 100))
    told = "; ".join(
        f"{s.name}: {', '.join(f'{y:.0f} % at {x:g}' for x, y in s.points)}" for s in series
    )
    print("\n".join(curves("Rows that tiles waste", across, up, series, f"{told}.")))


if __name__ == "__main__":
    main()
