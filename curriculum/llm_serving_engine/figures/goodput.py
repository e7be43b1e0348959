"""Draws goodput by load for three policies, computed in the module's simulator.

cd curriculum/llm_serving_engine/figures && python goodput.py > goodput.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.site.drawing import drawing

HERE = Path(__file__).parent
Axes: Any = runpy.run_path(str(HERE / "axes.py"))["Axes"]
CHUNKS = runpy.run_path(str(HERE.parent / "proofs" / "chunks.py"))


def main() -> None:
    """Print the picture."""
    rates, found = CHUNKS["RATES"], CHUNKS["goodput"]()
    axes = Axes((60, 260), (0, 130))
    parts = axes.drawn(rates, (0, 25, 50, 75, 100), "requests/s; upwards: % within both limits")
    for number, (name, shares) in enumerate(found.items()):
        points = [(rate, 100 * share) for rate, share in zip(rates, shares, strict=True)]
        parts += axes.curve(points, number, name)
    told = "; ".join(
        f"{name}: {', '.join(f'{share:.0%}' for share in shares)}" for name, shares in found.items()
    )
    told = (
        f"Share of requests within both limits at {', '.join(map(str, rates))} requests/s. {told}."
    )
    print("\n".join(drawing(236, parts, "Goodput by load", told)))


if __name__ == "__main__":
    main()
