"""mAP with the threshold of an app, and with the one of a benchmark."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from detecting.kit import fed, kept, mean_ap, scenes, tables, trained


def main() -> None:
    """One network, one set of scenes; only what is thrown away before the count differs."""
    pictures, truths = scenes()
    table = tables(trained(), fed(pictures))
    found = {}
    for floor in (0.01, 0.25, 0.5, 0.7):
        boxes = [kept(each, floor=floor) for each in table]
        found[floor] = mean_ap(boxes, truths), sum(map(len, boxes)) / len(boxes)
        print(
            f"threshold {floor:4}: mAP {found[floor][0]:.3f}, {found[floor][1]:.1f} boxes per image"
        )
    values = [value for value, _ in found.values()]
    assert values == sorted(values, reverse=True)
    assert values[0] - values[3] > 0.02
    strict = mean_ap([kept(each) for each in table], truths, 0.9)
    print(f"threshold 0.01, IoU of 0.9 required: mAP {strict:.3f}")
    assert strict < values[0] - 0.1


if __name__ == "__main__":
    main()
