"""Draws the accuracy behind six kinds of preprocessing, from the proof fed_as_trained.

cd curriculum/yolo_on_mobile/figures && python fed_as_trained.py > fed_as_trained.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows = [
        Bar(found[1], float(found[2]), f"mAP {found[2]}", LEAF if float(found[2]) > 0.9 else HOT)
        for line in recorded("yolo_on_mobile", "fed_as_trained")
        if (found := re.match(r"(.+?)  +mAP ([\d.]+)", line))
    ]
    told = (
        "Swapped colors, another range and boxes that are not mapped back cost most of the "
        "accuracy."
    )
    print("\n".join(bars("One detector, fed in six ways", rows, told)))


if __name__ == "__main__":
    main()
