"""SPPF's three poolings of 5 in a row give SPP's poolings of 5, 9 and 13, and cheaper."""

from __future__ import annotations

import torch
from torch.nn.functional import max_pool2d


def main() -> None:
    """Equal to the last bit, since a maximum rounds nothing."""
    x = torch.randn(2, 8, 20, 20)
    once = max_pool2d(x, 5, 1, 2)
    twice = max_pool2d(once, 5, 1, 2)
    thrice = max_pool2d(twice, 5, 1, 2)
    for size, row in ((5, once), (9, twice), (13, thrice)):
        assert torch.equal(max_pool2d(x, size, 1, size // 2), row)
        print(f"{size} × {size}: equal, bit for bit")
    print(
        f"values looked at for each pixel: {5**2 + 9**2 + 13**2} in parallel, {3 * 5**2} in a row"
    )
    five = torch.nn.functional.avg_pool2d(torch.nn.functional.avg_pool2d(x, 5, 1, 2), 5, 1, 2)
    assert not torch.allclose(five, torch.nn.functional.avg_pool2d(x, 9, 1, 4))
    print("of averages this is not true")


if __name__ == "__main__":
    main()
