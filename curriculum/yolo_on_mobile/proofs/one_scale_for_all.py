"""What int8 does to a table in which coordinates and probabilities have one scale."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent))
from detecting.kit import Array, fed, kept, mean_ap, scenes, tables, trained


def in_bytes(values: Array, largest: float) -> Array:
    """Rounded to 256 steps from 0 to `largest`."""
    step = largest / 255
    return (np.clip(np.round(values / step), 0, 255) * step).astype(np.float32)


def main() -> None:
    """The mAP with float, with the whole table in bytes, and with a scale for each part."""
    pictures, truths = scenes()
    table = tables(trained(), fed(pictures))
    largest = float(table[..., :4].max())
    apart = np.concatenate(
        (in_bytes(table[..., :4], largest), in_bytes(table[..., 4:], 1.0)), axis=2
    )
    # What a network for 640 pixels would give for the same objects.
    wide = table.copy()
    wide[..., :4] *= 5
    large = in_bytes(wide, 5 * largest)
    large[..., :4] /= 5
    print(f"largest coordinate {largest:.0f}: one step is {largest / 255:.2f}")
    levels = np.unique(in_bytes(table, largest)[..., 4:])
    print(f"levels of a probability: {len(levels)}; at 640 pixels {len(np.unique(large[..., 4:]))}")
    found = {}
    for name, values in (
        ("float", table),
        ("int8, one scale, 128 pixels", in_bytes(table, largest)),
        ("int8, one scale, 640 pixels", large),
        ("int8, coordinates and probabilities separate", apart),
    ):
        boxes = [kept(each) for each in values]
        scores = np.concatenate(boxes)[:, 4]
        found[name] = mean_ap(boxes, truths)
        print(f"{name:44} mAP {found[name]:.2f}, {len(np.unique(scores)):4} distinct scores")
    assert len(levels) <= 4
    assert found["int8, one scale, 640 pixels"] < 0.1
    assert found["int8, coordinates and probabilities separate"] > found["float"] - 0.06


if __name__ == "__main__":
    main()
