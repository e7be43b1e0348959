"""Draws the tokens of a pass for trees of different shapes, from the recorded output of a proof.

cd curriculum/llm_serving_frontier/figures && python shapes.py > shapes.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import Bar, bars, recorded

LINE = re.compile(r"(.+?) +(\d+) nodes: ([\d.]+) tokens of a pass")


def main() -> None:
    """Print the picture."""
    found = [LINE.fullmatch(words) for words in recorded("llm_serving_frontier", "draft_trees")]
    rows = [
        Bar(f"{one[1]}: {one[2]} drafted nodes", float(one[3]), f"{one[3]} tokens")
        for one in found
        if one is not None
    ]
    told = "; ".join(f"{row.label}, {row.shown}" for row in rows)
    print("\n".join(bars("Tokens of a pass of the target", rows, f"{told}.")))


if __name__ == "__main__":
    main()
