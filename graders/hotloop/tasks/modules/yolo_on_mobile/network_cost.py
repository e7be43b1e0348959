"""Operations (multiplications and additions) of the detector per image, and its number of boxes.

Counted from the layer sizes; a test compares the count with PyTorch's.
"""

from __future__ import annotations

WIDTH, CLASSES = 8, 6
BLOCKS = (1, 2, 3, 1)
STRIDES = (8, 16, 32)
ANCHORS = 3


def boxes(height: int, width: int) -> int:
    """Return the number of rows of the decoded table."""
    return sum(ANCHORS * (height // stride) * (width // stride) for stride in STRIDES)


def flops(height: int, width: int) -> int:
    """Return the operations for one image: two per multiply-add of the convolutions."""
    a, b, c, d, e = (WIDTH << stage for stage in range(5))
    deep_b, deep_c, deep_d, deep_e = BLOCKS
    numbers = ANCHORS * (5 + CLASSES)
    # Multiply-adds per pixel of a feature map, by the map's stride.
    at = {
        2: 12 * a * 9,
        4: 9 * a * b + _c3(b, b, deep_b),
        8: 9 * b * c + _c3(c, c, deep_c) + _c3(2 * c, c, 1) + c * numbers,
        16: (
            9 * c * d
            + _c3(d, d, deep_d)
            + _c3(2 * d, d, 1)
            + d * c
            + 9 * c * c
            + _c3(2 * c, d, 1)
            + d * numbers
        ),
        32: (
            9 * d * e
            + _c3(e, e, deep_e)
            + e * (e // 2)
            + 2 * e * e
            + e * d
            + 9 * d * d
            + _c3(2 * d, e, 1)
            + e * numbers
        ),
    }
    return 2 * sum(
        products * (height // stride) * (width // stride) for stride, products in at.items()
    )


def _c3(inputs: int, outputs: int, blocks: int) -> int:
    half = outputs // 2
    return 2 * inputs * half + blocks * 10 * half * half + 2 * half * outputs
