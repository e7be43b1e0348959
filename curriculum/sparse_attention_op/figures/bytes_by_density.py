"""Draws the bytes that attention reads by density, from the proof bytes_by_density.

cd curriculum/sparse_attention_op/figures && python bytes_by_density.py > bytes_by_density.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Axis, Series, curves, recorded


def main() -> None:
    """Print the picture."""
    lists: list[tuple[float, float]] = []
    flat: dict[str, float] = {}
    for line in recorded("sparse_attention_op", "bytes_by_density"):
        if found := re.match(r"block by block, list, +(\d+)% +([\d.]+)", line):
            lists.append((float(found[1]), float(found[2])))
        elif found := re.match(r"(.+?)  +([\d.]+) at any density", line):
            flat[found[1]] = float(found[2])
    series = [
        Series(name, [(5, size), (100, size)], color)
        for (name, size), color in zip(flat.items(), (HOT, COOL), strict=True)
    ]
    series.append(Series("block by block, over the list of kept blocks", lists, LEAF))
    told = (
        "Masks read the same bytes at any density; a list of kept blocks reads in proportion to it."
    )
    across = Axis("% of the blocks kept", (5, 25, 50, 100))
    print(
        "\n".join(
            curves(
                "Read by one head, 8192 tokens",
                across,
                Axis("MiB", (0, 200, 400, 600)),
                series,
                told,
            )
        )
    )


if __name__ == "__main__":
    main()
