"""Draws the online recurrence on one row: the running maximum, and where the sum is rescaled.

cd curriculum/fused_softmax/figures && python rescaling.py > rescaling.svg
"""

from __future__ import annotations

import math

from hotloop.site.charts import HOT, LEAF, Axis, Series, curves

ROW = (1.0, 0.5, 2.0, 1.5, 2.5, 2.0, 0.0, 4.0, 3.0, 1.0, 3.5, 2.0)


def main() -> None:
    """Print the picture."""
    maximum, total, rescales = -math.inf, 0.0, 0
    maxima: list[tuple[float, float]] = []
    sums: list[tuple[float, float]] = []
    for index, value in enumerate(ROW, start=1):
        larger = max(maximum, value)
        rescales += larger > maximum
        total = total * math.exp(maximum - larger) + math.exp(value - larger)
        maximum = larger
        maxima.append((index, maximum))
        sums.append((index, total))
    told = (
        f"The maximum increases {rescales} times in {len(ROW)} elements; each time the sum is "
        "multiplied by exp(old maximum - new maximum), and falls."
    )
    series = [
        Series("running maximum", maxima, HOT),
        Series("running sum of exp(x - maximum)", sums, LEAF),
    ]
    across = Axis("elements read", (1, 4, 8, 12))
    print(
        "\n".join(
            curves("Online softmax of one row", across, Axis("", (0, 1, 2, 3, 4)), series, told)
        )
    )


if __name__ == "__main__":
    main()
