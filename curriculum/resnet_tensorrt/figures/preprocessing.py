"""Draws the accuracy of one file behind five kinds of preprocessing.

The data: the recorded output of the proof equal_and_wrong.

cd curriculum/resnet_tensorrt/figures && python preprocessing.py > preprocessing.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import HOT, LEAF, Bar, bars, recorded


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("resnet_tensorrt", "equal_and_wrong"):
        if found := re.match(r"(.+?)  +(\d+)% correct", line):
            share = int(found[2])
            rows.append(Bar(found[1], share, f"{share} %", LEAF if share > 90 else HOT))
    told = (
        "Colors in another order or another range cost most of the accuracy; no check of the "
        "file finds it."
    )
    print("\n".join(bars("Correct answers of the same ONNX file", rows, told)))


if __name__ == "__main__":
    main()
