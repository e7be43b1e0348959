"""The baseline of a GPU schedule: PyTorch's matrix product in float32, without TF32."""

from __future__ import annotations

import torch

torch.backends.cuda.matmul.allow_tf32 = False


def product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Compute out = a @ b; on a GPU with cuBLAS."""
    torch.matmul(a, b, out=out)
