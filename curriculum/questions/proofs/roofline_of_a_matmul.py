"""Operations and bytes of matrix products, counted, and how fast a GPU can run them.

Peak and bandwidth are those of a data sheet (H100 SXM, bfloat16 without sparsity).
"""

from __future__ import annotations

import torch
from torch.utils.flop_counter import FlopCounterMode

PEAK, BANDWIDTH = 989e12, 3.35e12


def counted(m: int, k: int, n: int) -> tuple[int, int]:
    """Operations by PyTorch's counter, and bytes of the three matrices in bfloat16."""
    a, b = torch.empty(m, k, dtype=torch.bfloat16), torch.empty(k, n, dtype=torch.bfloat16)
    with FlopCounterMode(display=False) as counter:
        c = a.to("meta") @ b.to("meta")
    return counter.get_total_flops(), a.nbytes + b.nbytes + c.nbytes


def main() -> None:
    """Three shapes on both sides of the ridge."""
    ridge = PEAK / BANDWIDTH
    print(f"ridge: {ridge:.0f} operations a byte")
    for m, k, n in ((4096, 4096, 4096), (1, 4096, 4096), (64, 4096, 4096), (4096, 64, 4096)):
        flops, size = counted(m, k, n)
        assert flops == 2 * m * k * n
        intensity = flops / size
        time = max(flops / PEAK, size / BANDWIDTH)
        share = flops / time / PEAK
        print(
            f"{m:4} x {k:4} x {n:4}: {intensity:6.1f} operations a byte, at least "
            f"{time * 1e6:5.1f} µs, {share:4.0%} of the peak"
        )
        assert (intensity > ridge) is (share > 0.999)
    square = 2 * 4096**3 / (3 * 4096**2 * 2)
    assert abs(square - 4096 / 3) < 1e-9, "n/3 for a square in 2 bytes"


if __name__ == "__main__":
    main()
