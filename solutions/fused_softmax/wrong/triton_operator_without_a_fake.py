"""Defines the backward without a fake kernel, which a compiler would have to ask.

fails: operator_triton.compiled
"""

# ruff: noqa: F821 - the kernel is in the reference

import softmax_triton
import torch
import triton


### BEGIN SOLUTION fused_softmax.operator_triton operator
@torch.library.custom_op("hotloop_softmax_triton::forward", mutates_args=())
def _forward(x: torch.Tensor) -> torch.Tensor:
    torch._check(x.dim() == 2, lambda: "softmax: x must have 2 dimensions")
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel() > 0:
        # The kernel takes rows at any distance, but wants the elements of a row side by side.
        softmax_triton.softmax(x if x.stride(1) == 1 else x.contiguous(), out)
    return out


@torch.library.custom_op("hotloop_softmax_triton::backward", mutates_args=())
def _backward(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    y, dy = y.contiguous(), dy.contiguous()
    dx = torch.empty_like(y)
    if y.numel() > 0:
        block = min(triton.next_power_of_2(y.shape[1]), 4096)
        _backward_row[(y.shape[0],)](y, dy, dx, y.shape[1], BLOCK=block)
    return dx


@_forward.register_fake
def _(x):
    return x.new_empty(x.shape)


def _keep(ctx, inputs, output):
    ctx.save_for_backward(output)


@torch.autograd.function.once_differentiable
def _gradient(ctx, dy):
    (y,) = ctx.saved_tensors
    return torch.ops.hotloop_softmax_triton.backward(y, dy)


_forward.register_autograd(_gradient, setup_context=_keep)
### END SOLUTION
