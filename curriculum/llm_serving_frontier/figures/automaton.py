"""Draws the automaton of a list of binary numbers, from the proof that follows it.

cd curriculum/llm_serving_frontier/figures && python automaton.py > automaton.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.site.charts import COOL, LEAF, ChartNode, graph

PROOF: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "token_masks.py"))
PLACES = {0: (180, 45), 1: (180, 105), 2: (70, 165), 3: (290, 165), 5: (70, 230), 4: (250, 290)}


def main() -> None:
    """Print the picture. Edges that lead upwards or to the state itself are written in its box."""
    automaton = PROOF["AUTOMATON"]
    nodes, edges = dict[str, ChartNode](), list[tuple[str, str]]()
    for state, (x, y) in PLACES.items():
        row = automaton["next"][state]
        ways = ", ".join(f"“{letter}” to {after}" for letter, after in row.items())
        color = LEAF if state in automaton["accepting"] else COOL if state == 0 else ""
        words = f"{state}: {ways}" if ways else f"{state}: the text is complete"
        nodes[str(state)] = ChartNode(x, y, words, color, 124)
        for after in sorted(set(row.values())):
            if PLACES[after][1] > y:
                edges.append((str(state), str(after)))
    told = "; ".join(f"state {n}: {row}" for n, row in enumerate(automaton["next"]))
    title = "Lists of binary numbers, such as [0,10,1]"
    print("\n".join(graph(title, nodes, edges, f"{told}; accepting: {automaton['accepting']}.")))


if __name__ == "__main__":
    main()
