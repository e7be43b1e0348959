"""Draws the partitions that one unsupported operator makes, from the proof parts_of_a_graph.

cd curriculum/yolo_on_mobile/figures && python partitions.py > partitions.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("yolo_on_mobile", "parts_of_a_graph"):
        if found := re.match(
            r"without (\w+) +(\d+)% .+?, +(\d+) partitions, +([\d.]+) MB across", line
        ):
            count = int(found[3])
            name = "everything supported" if found[1] == "nothing" else f"no {found[1]}"
            label = f"{name}: {found[2]} % of the nodes, {found[4]} MB copied"
            rows.append(
                Bar(label, count, f"{count}", LEAF if count == 1 else HOT if count > 10 else COOL)
            )
    told = "A quarter of the nodes, spread over the graph, cuts it into 58 partitions."
    print("\n".join(bars("Partitions of the graph", rows, told, log_from=0.8)))


if __name__ == "__main__":
    main()
