"""Draws how many scores are left when one scale serves boxes and probabilities.

The data: the recorded output of the proof one_scale_for_all.

cd curriculum/yolo_on_mobile/figures && python one_scale.py > one_scale.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("yolo_on_mobile", "one_scale_for_all"):
        if found := re.match(
            r"(.+?)  +mAP ([\d.]+), +(\d+) distinct scores|(int8.+?separate) mAP ([\d.]+), +(\d+)",
            line,
        ):
            name, accuracy, count = (group for group in found.groups() if group is not None)
            color = LEAF if int(count) > 100 else HOT
            rows.append(Bar(f"{name}: mAP {accuracy}", int(count) or 0.5, f"{count} scores", color))
    told = (
        "With one scale for coordinates and probabilities three scores are left, at 640 "
        "pixels none."
    )
    print("\n".join(bars("Distinct scores in the output", rows, told, log_from=0.5)))


if __name__ == "__main__":
    main()
