"""Two kernels in OpenAI Triton: rows permuted by expert, and a grouped matrix product.

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


### TASK mixture_of_experts.permute
def permute(
    x: torch.Tensor, experts: torch.Tensor, num_experts: int, out: torch.Tensor
) -> None:
    """Write the rows of x to `out`, by expert, and by token within an expert.

    x: [tokens, width], float16; experts: [tokens, k], int32, k different ones in each row.
    out: [tokens · k, width], float16.
    """
    raise NotImplementedError("mixture_of_experts.permute")


### TASK mixture_of_experts.grouped_gemm
def grouped_gemm(
    x: torch.Tensor, w: torch.Tensor, offsets: torch.Tensor, out: torch.Tensor
) -> None:
    """Write x[offsets[e] : offsets[e + 1]] @ w[e] to these rows of `out`, for each e.

    x: [rows, k], w: [experts, k, n], both float16; offsets: [experts + 1], int32.
    out: [rows, n], float32.
    """
    raise NotImplementedError("mixture_of_experts.grouped_gemm")
