"""Draws the bytes of standard and tiled attention, from the proof bytes_of_attention.

cd curriculum/transformer_compilation/figures && python traffic.py > traffic.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("transformer_compilation", "bytes_of_attention"):
        if found := re.match(
            r" *(\d+) queries, (\d+) keys: standard +(\d+) MiB, tiled +(\d+), minimum +(\d+)", line
        ):
            sizes = f"{found[1]} × {found[2]}"
            for kind, size, color in (
                ("standard", found[3], HOT),
                ("tiled", found[4], COOL),
                ("minimum", found[5], LEAF),
            ):
                rows.append(Bar(f"{sizes}, {kind}", int(size), f"{size} MiB", color))
    told = (
        "Stored scores cost 49 times the minimum at 4096 tokens; with one query there is "
        "nothing to save."
    )
    print("\n".join(bars("Bytes moved by 32 heads", rows, told, log_from=8)))


if __name__ == "__main__":
    main()
