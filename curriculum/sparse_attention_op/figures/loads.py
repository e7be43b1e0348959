"""Draws what two CPU kernels load, from the proof loads_of_a_cpu_kernel.

cd curriculum/sparse_attention_op/figures && python loads.py > loads.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("sparse_attention_op", "loads_of_a_cpu_kernel"):
        color = LEAF if line.startswith("along") else HOT
        name = re.split(r"  +", line)[0]
        for density, ratio in re.findall(r"(\d+)% ([\d.]+)", line):
            rows.append(Bar(f"{name}, {density} % kept", float(ratio), f"{ratio}×", color))
    most = max(rows, key=lambda row: row.value)
    density = most.label.rpartition(", ")[2].removesuffix(" kept")
    told = (
        "Computing all scores first loads keys that nobody attends to: "
        f"{most.value:g} times as much at {density}."
    )
    print("\n".join(bars("Keys and values loaded, against those in the lists", rows, told)))


if __name__ == "__main__":
    main()
