"""Draws the operations that torch.cond and torch.where execute, from the proof where_or_cond.

cd curriculum/control_flow_export/figures && python where_or_cond.py > where_or_cond.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("control_flow_export", "where_or_cond"):
        if found := re.match(
            r"(early|late) +torch.cond ([\d.]+) million operations, torch.where ([\d.]+)", line
        ):
            when = "exits early" if found[1] == "early" else "takes all layers"
            rows.append(Bar(f"{when}, torch.cond", float(found[2]), f"{found[2]} million", COOL))
            rows.append(Bar(f"{when}, torch.where", float(found[3]), f"{found[3]} million", HOT))
    told = "torch.where computes both branches: it executes as many operations for every message."
    print("\n".join(bars("Operations for one message", rows, told)))


if __name__ == "__main__":
    main()
