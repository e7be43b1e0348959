"""From hidden states to sentence embeddings in one Triton kernel: task 9.

An embedding service has this step behind its encoder. With instances of KIND_GPU the encoder's
output stays on the device, and so should this.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.

On a machine without a GPU the kernel runs in Triton's interpreter (TRITON_INTERPRET=1).
"""

import torch
import triton
import triton.language as tl

TOKENS = 8
"""That a program holds at once."""


### TASK triton_ensemble.pool_on_gpu kernel
@triton.jit
def _pool_row(
    hidden_ptr, mask_ptr, out_ptr, length, width, TOKENS: tl.constexpr, BLOCK: tl.constexpr
):
    pass  # one program, one row


### TASK triton_ensemble.pool_on_gpu launch
def pool(hidden: torch.Tensor, mask: torch.Tensor, out: torch.Tensor) -> None:
    raise NotImplementedError("triton_ensemble.pool_on_gpu")


def _demonstrate() -> None:
    """`python pooling.py` compares with PyTorch on this machine."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    hidden = torch.randn(5, 37, 384, device=device)
    mask = torch.rand(5, 37, device=device) < 0.7
    got = torch.empty(5, 384, device=device)
    pool(hidden, mask, got)
    kept = mask.unsqueeze(-1).to(hidden.dtype)
    mean = (hidden * kept).sum(1) / kept.sum(1).clamp_min(1)
    want = torch.nn.functional.normalize(mean, dim=-1)
    print("largest error", (got - want).abs().max().item())


if __name__ == "__main__":
    _demonstrate()
