"""Draws the memory that plans for 18.4 billion parameters need, from the proof what_a_plan_costs.

cd curriculum/portable_trainer/figures && python memory_of_a_plan.py > memory_of_a_plan.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("portable_trainer", "what_a_plan_costs"):
        if found := re.match(r"  (.+?)  +([\d.]+) \+ +([\d.]+) GB, (fits|does not fit)", line):
            total = float(found[2]) + float(found[3])
            color = LEAF if found[4] == "fits" else HOT
            rows.append(Bar(f"{found[1]}: {found[4]}", total, f"{total:.1f} GB", color))
    told = "Replicated state does not fit on an 80 GB device; a sharded optimizer does."
    print("\n".join(bars("Memory of one device: state and activations", rows, told)))


if __name__ == "__main__":
    main()
