"""Draws how many nodes freezing leaves of a TorchScript graph, from the proof what_freezing_does.

cd curriculum/control_flow_export/figures && python freezing.py > freezing.svg
"""

from __future__ import annotations

import ast
import re

from hotloop.site.charts import COOL, HOT, LEAF, Bar, bars, recorded

COLORS = {"scripted": HOT, "frozen": COOL, "optimized": LEAF}


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("control_flow_export", "what_freezing_does"):
        if found := re.match(r"(\w+) +(\{.*\})", line):
            facts: dict[str, int] = ast.literal_eval(found[2])
            shown = f"{facts['nodes']}, with {facts['attributes']} attributes"
            rows.append(Bar(found[1], facts["nodes"], shown, COLORS[found[1]]))
    told = "Freezing inlines attributes as constants, folds the batch norm and removes branches."
    print("\n".join(bars("Nodes of the graph", rows, told)))


if __name__ == "__main__":
    main()
