"""Gradients of attention, in OpenAI Triton, from the result and one number for each query.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.
"""

import torch
import triton
import triton.language as tl


### TASK transformer_compilation.flash_backward kernels
@triton.jit
def _for_keys(
    q_ptr, k_ptr, v_ptr, out_ptr, dout_ptr, lse_ptr, grads_ptr, queries, keys, scale,
    WIDTH: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):
    pass  # one program, some keys of one head, over all queries that see them


### TASK transformer_compilation.flash_backward launch
def gradients(q, k, v, out, dout, lse, scale, causal, grads):
    """Fill `grads` with the gradients of q, k and v; see the notebook."""
    raise NotImplementedError("transformer_compilation.flash_backward")


def attention_gradients(q, k, v, dout, scale, causal, grads):
    """Given: PyTorch's forward pass, then your backward. This is what a GPU is timed with."""
    given, masked = (q[None], k[None], v[None]), {"is_causal": causal, "scale": scale}
    if torch.cuda.get_device_capability() >= (8, 0):
        forward = torch.ops.aten._scaled_dot_product_flash_attention
        out, lse, *_ = forward(*given, **masked)
    else:
        # PyTorch's FlashAttention is for Ampere and later. True: with the sums' logarithms.
        forward = torch.ops.aten._scaled_dot_product_efficient_attention
        out, lse, *_ = forward(*given, None, True, **masked)
    out, lse = out[0].contiguous(), lse[0, :, : q.shape[1]].contiguous()
    gradients(q, k, v, out, dout, lse, scale, causal, grads)


def _demonstrate() -> None:
    """`python flash_backward.py` compares with autograd on this machine."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q, k, v, dout = (torch.randn(2, 100, 32, device=device) for _ in range(4))
    for x in (q, k, v):
        x.requires_grad_()
    scores = 0.2 * q @ k.mT
    out = torch.softmax(scores, -1) @ v
    want = torch.cat(torch.autograd.grad(out, (q, k, v), dout), dim=1)
    got = torch.empty_like(want)
    kept = [x.detach() for x in (q, k, v, out, dout, torch.logsumexp(scores, -1))]
    gradients(*kept, 0.2, False, got)
    print("largest error", (got - want).abs().max().item())


if __name__ == "__main__":
    _demonstrate()
