"""Draws how many kernels an optimizer step launches, from the proof launches_of_an_optimizer.

cd curriculum/profile_training_loop/figures && python optimizer_launches.py > optimizer_launches.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("profile_training_loop", "launches_of_an_optimizer"):
        if found := re.match(r"(\w+) +one by one (\d+), foreach (\d+), fused (\d+)", line):
            kinds = (("one by one", HOT), ("foreach=True", COOL), ("fused=True", LEAF))
            for (kind, color), count in zip(kinds, found.groups()[1:], strict=True):
                rows.append(Bar(f"{found[1]}, {kind}", int(count), count, color))
    told = "One kernel per parameter and operation becomes a few, or one, for all parameters."
    print("\n".join(bars("Kernel launches of one optimizer step", rows, told, log_from=0.8)))


if __name__ == "__main__":
    main()
