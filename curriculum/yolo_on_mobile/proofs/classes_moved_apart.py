"""Suppression by class in one call: boxes are moved apart by class. And in half precision?"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent))
from detecting.kit import given

OFFSET = 7680
"""As large as any picture, as in YOLOv5's `max_wh`."""


def overlap_when_moved(kind: type[np.floating], which: int) -> float:
    """Of two boxes of one class, computed after they were moved in this type."""
    a, b = np.array([[100, 100, 140, 140]], kind), np.array([[110, 104, 150, 144]], kind)
    with np.errstate(over="ignore", invalid="ignore"):
        moved = [(box + kind(which * OFFSET)).astype(np.float64) for box in (a, b)]
        return float(given("metrics").overlaps(*moved)[0, 0])


def main() -> None:
    """The same pair of boxes as class 0, 3 and 79, in two types."""
    right = overlap_when_moved(np.float64, 0)
    print(f"true IoU {right:.3f}")
    for which in (0, 3, 79):
        single = overlap_when_moved(np.float32, which)
        half = overlap_when_moved(np.float16, which)
        print(f"class {which:2}: float32 {single:.3f}, float16 {half:.3f}")
        assert abs(single - right) < 1e-2
    assert abs(overlap_when_moved(np.float16, 3) - right) > 0.02
    assert not abs(overlap_when_moved(np.float16, 79) - right) < 0.02
    step = float(np.spacing(np.float16(3 * OFFSET)))
    print(f"float16 at {3 * OFFSET}: adjacent numbers are {step:.0f} pixels apart; maximum 65504")


if __name__ == "__main__":
    main()
