"""Five kernels in OpenAI Triton: matrix products for four situations, and attention for one token.

Edit this file beside the notebook and run the notebook's checks.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.

On a machine without a GPU the kernels run in Triton's interpreter (TRITON_INTERPRET=1).
"""

import torch
import triton
import triton.language as tl

### TASK gemm_tensor_cores.triton_matmul
def triton_matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    """Write a @ b to `c`; a: [m, k], b: [k, n], float16; c: [m, n], float32."""
    raise NotImplementedError("gemm_tensor_cores.triton_matmul")


### TASK gemm_tensor_cores.split_k
def split_k(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    """Write a @ b to `c`, for a long k; types as in triton_matmul."""
    raise NotImplementedError("gemm_tensor_cores.split_k")


### TASK gemm_tensor_cores.epilogue
def epilogue(
    x: torch.Tensor,
    w: torch.Tensor,
    bias: torch.Tensor,
    residual: torch.Tensor,
    out: torch.Tensor,
) -> None:
    """Write gelu(x @ w + bias) + residual to `out`; all are float16."""
    raise NotImplementedError("gemm_tensor_cores.epilogue")


### TASK gemm_tensor_cores.w4a16
def w4a16(
    x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor, out: torch.Tensor
) -> None:
    """Write x @ dequantized weights to `out`; packed: [k / 2, n], uint8."""
    raise NotImplementedError("gemm_tensor_cores.w4a16")


### TASK gemm_tensor_cores.decode_attention
def decode_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    pages: torch.Tensor,
    lengths: torch.Tensor,
    out: torch.Tensor,
) -> None:
    """Attention of one new token a sequence over a paged cache; see the notebook."""
    raise NotImplementedError("gemm_tensor_cores.decode_attention")
