"""Draws the three ONNX forms of one operator and which runtimes run them.

The data: the recorded output of the proof three_forms.

cd curriculum/sparse_attention_op/figures && python three_forms.py > three_forms.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import HOT, LEAF, ChartNode, graph, recorded

SEEN = {
    "decomposed": "nodes of ai.onnx",
    "function": "a node, and its function",
    "node": "a node, no body",
}


def main() -> None:
    """Print the picture."""
    nodes = {"operator": ChartNode(180, 44, "gated block attention", "", 150)}
    edges: list[tuple[str, str]] = []
    lines = recorded("sparse_attention_op", "three_forms")
    for column, (first, second) in enumerate(zip(lines[::2], lines[1::2], strict=True)):
        form = first.split()[0]
        count = re.findall(r"\d+", first)[0]
        x = 62 + 118 * column
        nodes[form] = ChartNode(x, 112, f"{form}: {count} {SEEN[form]}", "", 108)
        runs = "runs it" in second
        said = "every runtime" if runs else "runtimes with this kernel"
        nodes[f"{form} runs"] = ChartNode(x, 186, said, LEAF if runs else HOT, 108)
        edges += [("operator", form), (form, f"{form} runs")]
    told = (
        "Decomposed and as a function, ONNX Runtime runs it; a bare node needs a registered kernel."
    )
    print("\n".join(graph("Three ONNX forms, and where they run", nodes, edges, told)))


if __name__ == "__main__":
    main()
