"""Focus and the 3×3 convolution behind it are one convolution of 6×6 with stride 2."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from detecting.kit import given, trained


# --8<-- [start:merge]
def merged(weight: torch.Tensor) -> torch.Tensor:
    """[out, 12, 3, 3] behind Focus as [out, 3, 6, 6]: each part has its place."""
    out, _, kernel, _ = weight.shape
    large = torch.zeros(out, 3, 2 * kernel, 2 * kernel)
    for part, (right, down) in enumerate((r, d) for r in (0, 1) for d in (0, 1)):
        large[:, :, down::2, right::2] = weight[:, 3 * part : 3 * part + 3]
    return large


# --8<-- [end:merge]


def main() -> None:
    """Compare both on random numbers, in float64."""
    detector = given("detector")
    stem = trained().model[0].double()
    assert isinstance(stem, detector.Focus)
    one = detector.Conv(3, stem.conv.conv.out_channels, 6, 2, 2).double().eval()
    one.load_state_dict(stem.conv.state_dict() | {"conv.weight": merged(stem.conv.conv.weight)})
    pictures = torch.randn(2, 3, 64, 96, dtype=torch.float64)
    with torch.inference_mode():
        slices, single = stem(pictures), one(pictures)
    difference = float((slices - single).abs().max())
    assert slices.shape == single.shape
    assert difference < 1e-12
    print(f"out {tuple(single.shape)}: the same to 1e-12, at the edges too")
    print("operators: 4 strided slices, 1 concatenation, 1 convolution; or 1 convolution")
    print(f"weights: {stem.conv.conv.weight.numel()}, and {one.conv.weight.numel()}")


if __name__ == "__main__":
    main()
