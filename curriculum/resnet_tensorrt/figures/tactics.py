"""Draws what a larger workspace gains an engine, from the proof tactics.

cd curriculum/resnet_tensorrt/figures && python tactics.py > tactics.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("resnet_tensorrt", "tactics"):
        if found := re.match(r"workspace +(\d+) MiB: +(\d+) µs, (\d+) tactics timed", line):
            label = f"workspace of {found[1]} MiB: {found[3]} tactics timed"
            rows.append(Bar(label, int(found[2]), f"{found[2]} µs"))
    told = "With more workspace the builder may time more tactics, and the engine is faster."
    print("\n".join(bars("A modeled engine of 20 layers", rows, told)))


if __name__ == "__main__":
    main()
