"""Draws the attention of a draft tree, as the reference's layout gives it.

cd curriculum/llm_serving_frontier/figures && python tree_mask.py > tree_mask.svg
"""

from __future__ import annotations

import runpy
from typing import Any

from hotloop.core import paths
from hotloop.site.charts import COOL, HOT, GridCell, grid

PARENTS = [-1, 0, 0, 1, 1, 2, 3]
WORDS = ["The", "cat", "dog", "sat", "is", "ran", "on"]


def main() -> None:
    """Print the picture."""
    solved: Any = runpy.run_path(str(paths.solutions() / "llm_serving_frontier" / "drafting.py"))
    laid = solved["layout"](PARENTS)
    ways: list[list[int]] = laid["attends"]
    rows: list[tuple[str, list[GridCell]]] = []
    for node, attends in enumerate(ways):
        cells = [
            GridCell(str(other), HOT if other == node else COOL) if other in attends else GridCell()
            for other in range(len(PARENTS))
        ]
        branch = " ".join(WORDS[other] for other in attends)
        rows.append((f"node {node}, position {laid['positions'][node]}: {branch}", cells))
    told = f"Nodes that each of {len(PARENTS)} nodes attends to: {ways}."
    note = "A node is orange, its way from node 0 is blue. Siblings do not see each other."
    print("\n".join(grid("Attention within a draft tree", rows, told, notes=[note])))


if __name__ == "__main__":
    main()
