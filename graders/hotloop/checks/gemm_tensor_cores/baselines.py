"""Baselines of module gemm_tensor_cores: products of cuBLAS through PyTorch.

Runs in a worker, never in the judge. Destination style: the last argument is filled.
"""

from __future__ import annotations

import torch


def matmul(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """With a float32 result; a: [m, k], b: [k, n], float16 or bfloat16."""
    torch.mm(a, b, out_dtype=torch.float32, out=out)


def matmul_with_k(a: torch.Tensor, b: torch.Tensor, _k: int, out: torch.Tensor) -> None:
    """Likewise, called as the kernel of CUDA C++ is."""
    matmul(a, b, out)
