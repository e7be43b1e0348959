"""Draws the weights that one of eight devices holds, by kind of parallelism.

The data: the recorded output of the proof sharded_by_xla.

cd curriculum/portable_trainer/figures && python weights_on_a_device.py > weights_on_a_device.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("portable_trainer", "sharded_by_xla"):
        if found := re.match(r"(.+): (.+); ([\d,]+) bytes of weights on a device", line):
            size = int(found[3].replace(",", ""))
            rows.append(Bar(f"{found[1]}: {found[2]} a step", size, f"{size / 1024:g} KiB"))
    told = "Fully sharded weights take an eighth of the memory, and need gathers as well."
    print("\n".join(bars("Weights on one of eight devices", rows, told)))


if __name__ == "__main__":
    main()
