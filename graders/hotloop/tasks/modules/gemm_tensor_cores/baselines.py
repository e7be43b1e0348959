"""Baselines of module gemm_tensor_cores: cuBLAS products through PyTorch.

Runs in a worker, never in the judge. Destination style: functions fill their last argument.
"""

from __future__ import annotations

import torch


def matmul(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Multiply a [m, k] and b [k, n], float16 or bfloat16, with a float32 result."""
    torch.mm(a, b, out_dtype=torch.float32, out=out)


def matmul_with_k(a: torch.Tensor, b: torch.Tensor, _k: int, out: torch.Tensor) -> None:
    """Multiply like `matmul`, with the signature of the CUDA C++ kernels."""
    matmul(a, b, out)
