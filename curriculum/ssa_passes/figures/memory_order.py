"""Draws the memory that two orders of the same operations need, from the proof memory_order.

cd curriculum/ssa_passes/figures && python memory_order.py > memory_order.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    lines = recorded("ssa_passes", "memory_order")
    without = re.findall(r"without reuse (\d+) bytes", lines[0])[0]
    rows = [Bar("every tensor in memory of its own", int(without), f"{without} bytes", HOT)]
    for line in lines:
        if found := re.match(r"  (worst|best): (.+), placed in (\d+) bytes", line):
            color = COOL if found[1] == "worst" else LEAF
            label = f"memory reused, {found[1]} order: {found[2]}"
            rows.append(Bar(label, int(found[3]), f"{found[3]} bytes", color))
    saved = 1 - min(row.value for row in rows) / rows[0].value
    told = (
        f"Reuse saves little in the worst order of the operations, and {100 * saved:.0f} % in "
        "the best one."
    )
    print("\n".join(bars("Memory of five operations", rows, told)))


if __name__ == "__main__":
    main()
