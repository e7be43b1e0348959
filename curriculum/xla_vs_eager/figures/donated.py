"""Draws the memory that a step holds with and without donation, from the proof donated.

cd curriculum/xla_vs_eager/figures && python donated.py > donated.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import HOT, LEAF, Bar, bars, recorded

NAMES = {"()": "the state is an ordinary argument", "(0,)": "the state is donated"}


def main() -> None:
    """Print the picture."""
    rows = [
        Bar(
            NAMES[found[1]],
            int(found[2].replace(",", "")),
            f"{found[2]} bytes",
            LEAF if found[1] == "(0,)" else HOT,
        )
        for line in recorded("xla_vs_eager", "donated")
        if (found := re.match(r"donated (\S+) +shared [\d,]+ bytes, held ([\d,]+)", line))
    ]
    told = "A donated state is updated in its own memory: the step holds it once instead of twice."
    print("\n".join(bars("Memory that one step holds", rows, told)))


if __name__ == "__main__":
    main()
