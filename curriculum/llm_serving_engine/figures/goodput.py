"""Draws goodput by load for three policies, computed in the module's simulator.

cd curriculum/llm_serving_engine/figures && python goodput.py > goodput.svg
"""

import runpy
from pathlib import Path

from hotloop.site.charts import Axis, Series, curves
from hotloop.site.drawing import COLORS

CHUNKS = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "chunks.py"))


def main() -> None:
    """Print the picture."""
    rates = CHUNKS["RATES"]
    series = [
        Series(name, [(rate, 100 * share) for rate, share in zip(rates, shares, strict=True)], c)
        for c, (name, shares) in zip(COLORS, CHUNKS["goodput"]().items(), strict=False)
    ]
    up = Axis("% of requests within both limits", (0, 25, 50, 75, 100))
    told = "; ".join(f"{s.name}: {', '.join(f'{y:.0f} %' for _, y in s.points)}" for s in series)
    told = f"At {', '.join(map(str, rates))} requests/s. {told}."
    print("\n".join(curves("Goodput by load", Axis("requests/s", rates), up, series, told)))


if __name__ == "__main__":
    main()
