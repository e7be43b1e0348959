"""Draws what 10,000 requests cost by when they are compiled, from the proof compile_when.

cd curriculum/tvm_passes/figures && python compile_when.py > compile_when.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("tvm_passes", "compile_when"):
        if found := re.match(r"(.+?)  +(\d+) s for all requests(?:, (\d+) of them wait)?", line):
            seconds, wait = int(found[2]), found[3]
            color = (
                LEAF if wait is None and "ahead" in found[1] else HOT if seconds > 1000 else COOL
            )
            label = found[1] + (f": {wait} wait 8 s" if wait else "")
            rows.append(Bar(label, seconds, f"{seconds} s", color))
    told = (
        "A compilation for each of 341 lengths costs far more than all requests without a compiler."
    )
    print("\n".join(bars("10,000 requests of 341 lengths, assumed costs", rows, told, log_from=20)))


if __name__ == "__main__":
    main()
