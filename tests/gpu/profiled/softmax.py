"""The reference softmax kernels of fused_softmax, a few launches each, for Nsight Compute to watch.

    ncu --set full --export softmax.ncu-rep python tests/gpu/profiled/softmax.py reference

A short row is held by one program, a long one is walked block by block, and a copy of the same
matrix shows what memory gives.
"""

import argparse
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).parents[3]
SHAPES = ((8192, 8192), (2048, 32768))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["reference"])
    parser.parse_args()
    sys.path.insert(0, str(ROOT / "solutions" / "fused_softmax"))
    softmax = __import__("softmax_triton").softmax
    for shape in SHAPES:
        x = torch.randn(shape, device="cuda")
        out = torch.empty_like(x)
        out.copy_(x)
        for _ in range(2):
            softmax(x, out)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
