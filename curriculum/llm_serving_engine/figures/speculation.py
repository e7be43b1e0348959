"""Draws the expected tokens of a pass of the target, by acceptance and number of drafted tokens.

cd curriculum/llm_serving_engine/figures && python speculation.py > speculation.svg
"""

import runpy
from pathlib import Path
from typing import Any

from hotloop.site.charts import Axis, Series, curves
from hotloop.site.drawing import COLORS

PROOF = Path(__file__).parents[1] / "proofs" / "speculation.py"
expected: Any = runpy.run_path(str(PROOF))["expected"]
DRAFTED = (2, 4, 8)


def main() -> None:
    """Print the picture."""
    series = [
        Series(
            f"{k} drafted tokens", [(a / 100, expected(a / 100, k)) for a in range(30, 96, 5)], c
        )
        for k, c in zip(DRAFTED, COLORS, strict=False)
    ]
    across = Axis("acceptance per token", (0.3, 0.5, 0.7, 0.9, 1.0))
    up = Axis("tokens of a pass", (1, 2, 3, 4, 5, 6, 7))
    told = "; ".join(
        f"{k} drafted: {expected(0.5, k):.2f} at 0.5, {expected(0.9, k):.2f} at 0.9"
        for k in DRAFTED
    )
    print("\n".join(curves("Tokens of a pass of the target", across, up, series, f"{told}.")))


if __name__ == "__main__":
    main()
