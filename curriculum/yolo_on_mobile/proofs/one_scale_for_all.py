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
    """The mAP with the whole table in bytes, with a scale for each part, and with float."""
    pictures, truths = scenes()
    table = tables(trained(), fed(pictures))
    largest = float(table[..., :4].max())
    apart = np.concatenate(
        (in_bytes(table[..., :4], largest), in_bytes(table[..., 4:], 1.0)), axis=2
    )
    print(f"largest coordinate {largest:.0f}: one step is {largest / 255:.2f}")
    levels = np.unique(in_bytes(table, largest)[..., 4:])
    print(f"levels for a probability: {len(levels)}")
    found = {}
    for name, values in (
        ("float", table),
        ("bytes, one scale", in_bytes(table, largest)),
        ("bytes, coordinates and probabilities apart", apart),
    ):
        found[name] = mean_ap([kept(each) for each in values], truths)
        print(f"{name:44} mAP {found[name]:.2f}")
    assert len(levels) <= 4
    assert found["bytes, one scale"] < 0.6 * found["float"]
    assert found["bytes, coordinates and probabilities apart"] > found["float"] - 0.06


if __name__ == "__main__":
    main()
