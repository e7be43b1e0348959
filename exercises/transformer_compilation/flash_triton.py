"""Attention as one kernel, in OpenAI Triton.

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


### TASK transformer_compilation.flash_forward kernels
@triton.jit
def _forward(
    q_ptr, k_ptr, v_ptr, out_ptr, queries, keys, scale,
    WIDTH: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):
    pass  # one program, some queries of one head


### TASK transformer_compilation.flash_forward launch
def attention(q, k, v, scale, causal, out):
    """Fill `out` with the attention of q over k and v; see the notebook."""
    raise NotImplementedError("transformer_compilation.flash_forward")


def _demonstrate() -> None:
    """`python flash_triton.py` compares with PyTorch on this machine."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q, k, v = (torch.randn(2, 100, 32, device=device) for _ in range(3))
    got = torch.empty_like(q)
    attention(q, k, v, 0.2, True, got)
    want = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.2)
    print("largest error", (got - want).abs().max().item())


if __name__ == "__main__":
    _demonstrate()
