"""Draws after how many steps compiling has paid, from the proof break_even.

cd curriculum/xla_vs_eager/figures && python break_even.py > break_even.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    colors = {"one program": LEAF, "40 sizes": HOT}
    rows = [
        Bar(found[1], int(found[2]), f"{found[2]} steps", colors.get(found[1], COOL))
        for line in recorded("xla_vs_eager", "break_even")
        if (found := re.match(r"(.+): (\d+) steps", line))
    ]
    told = "Each size compiles a program: forty sizes pay back after forty times as many steps."
    print("\n".join(bars("Steps until compiling has paid", rows, told, log_from=20)))


if __name__ == "__main__":
    main()
