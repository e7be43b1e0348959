"""Draws the graphs that two breaks leave of one function, as counted by the proof count_breaks.

cd curriculum/control_flow_export/figures && python breaks.py > breaks.svg
"""

from __future__ import annotations

from itertools import pairwise

from hotloop.site.charts import HOT, LEAF, ChartNode, graph, recorded


def main() -> None:
    """Print the picture."""
    lines = recorded("control_flow_export", "count_breaks")
    where = [line.strip() for line in lines if line.startswith("   ")]
    nodes = {"graph 1": ChartNode(110, 46, "graph 1", LEAF, 150)}
    for number, source in enumerate(where, start=1):
        nodes[source] = ChartNode(110, 46 + 104 * number - 52, f"Python: {source}", HOT, 200)
        nodes[f"graph {number + 1}"] = ChartNode(
            110, 46 + 104 * number, f"graph {number + 1}", LEAF, 150
        )
    names = list(nodes)
    notes = [
        (222, 50 + 52 * place, "compiled" if place % 2 == 0 else "interpreted")
        for place in range(len(names))
    ]
    told = (
        f"{len(where)} graph breaks leave {len(where) + 1} graphs; between them the "
        "interpreter runs."
    )
    edges = list(pairwise(names))
    print("\n".join(graph("One function, three compiled graphs", nodes, edges, told, notes=notes)))


if __name__ == "__main__":
    main()
