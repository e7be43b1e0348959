"""Draws the kernels of an attention before and after fusion, from the proof fusion_counted.

cd curriculum/ssa_passes/figures && python fusion.py > fusion.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, LEAF, ChartNode, graph, recorded


def main() -> None:
    """Print the picture."""
    nodes: dict[str, ChartNode] = {}
    edges: list[tuple[str, str]] = []
    notes: list[tuple[float, float, str]] = []
    for line in recorded("ssa_passes", "fusion_counted"):
        found = re.match(r"(one each|fused): +(\d+) kernels, ([\d,]+) bytes: (.+)", line)
        if found is None:
            continue
        left = found[1] == "one each"
        x, before = 92 if left else 268, ""
        mebi = int(found[3].replace(",", "")) / 2**20
        notes.append((x - 62, 34, f"{found[2]} kernels, {mebi:.0f} MiB"))
        for number, kernel in enumerate(found[4].split(", ")):
            name = f"{found[1]} {kernel}"
            words = kernel.replace("+", " + ")
            y = 62 + 40 * number if left else 78 + 68 * number
            nodes[name] = ChartNode(x, y, words, COOL if left else LEAF, 150)
            edges += [(before, name)] if before else []
            before = name
    told = "Six kernels become three: elementwise steps join the reduction that follows them."
    print(
        "\n".join(
            graph(
                "Kernels in order: one for each operation, and fused",
                nodes,
                edges,
                told,
                notes=notes,
            )
        )
    )


if __name__ == "__main__":
    main()
