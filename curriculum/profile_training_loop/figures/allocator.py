"""Draws what tensors hold and what the caching allocator has reserved.

The data: the recorded output of the proof allocator_model.

cd curriculum/profile_training_loop/figures && python allocator.py > allocator.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import HOT, Bar, bars, recorded

CASES = ("50 steps of 100", "10 steps of 100", "the same with expandable", "the same on a GPU of")


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("profile_training_loop", "allocator_model"):
        found = re.match(
            r"(.+?)  +in tensors.*reserved +([\d.]+) MiB, driver asked (\d+) times", line
        )
        if found and line.startswith(CASES):
            size = float(found[2])
            asked = f"{size:g} MiB, {found[3]} cudaMalloc"
            rows.append(Bar(found[1], size, asked, HOT))
    told = "Sizes that grow from step to step reserve many times the memory of one size."
    print("\n".join(bars("Reserved by the caching allocator", rows, told)))


if __name__ == "__main__":
    main()
