"""The library's matrix product, in float32 without shortcuts: what a GPU schedule is held up to."""

from __future__ import annotations

import torch

torch.backends.cuda.matmul.allow_tf32 = False


def product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Computes out = a @ b; on a GPU it is cuBLAS that does."""
    torch.matmul(a, b, out=out)
