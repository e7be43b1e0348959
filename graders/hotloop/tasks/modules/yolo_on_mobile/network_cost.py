"""What the detector computes for an image, by the image's size.

A test compares the count with PyTorch's.
"""

from __future__ import annotations

CLASSES, ANCHORS = 6, 3
STRIDES = (8, 16, 32)
TILE = 32
FLOPS_OF_A_TILE = 2_844_416
"""For 32 × 32 pixels: two per multiply-add of the convolutions. The network has nothing else."""


def boxes(height: int, width: int) -> int:
    """Return the number of rows of the decoded table."""
    return sum(ANCHORS * (height // stride) * (width // stride) for stride in STRIDES)


def flops(height: int, width: int) -> int:
    """Return the operations for one image."""
    return FLOPS_OF_A_TILE * (height // TILE) * (width // TILE)
