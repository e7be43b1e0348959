"""The same operator with OpenAI Triton behind it: your kernel of `softmax_triton.py`, registered.

Without a GPU the kernels run in Triton's interpreter.
"""

import os

import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import softmax_triton
import triton
import triton.language as tl
from operator_trials import Trials


### BEGIN SOLUTION fused_softmax.operator_triton kernel
### STUB @triton.jit
### STUB def _backward_row(y_ptr, dy_ptr, dx_ptr, n_cols, BLOCK: tl.constexpr):
### STUB     pass  # one program, one row, of any length
@triton.jit
def _backward_row(y_ptr, dy_ptr, dx_ptr, n_cols, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * n_cols
    columns = tl.arange(0, BLOCK)
    products = tl.zeros([BLOCK], tl.float32)
    for first in range(0, n_cols, BLOCK):
        inside = first + columns < n_cols
        y = tl.load(y_ptr + start + first + columns, mask=inside, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + start + first + columns, mask=inside, other=0.0).to(tl.float32)
        products += y * dy
    total = tl.sum(products, axis=0)
    for first in range(0, n_cols, BLOCK):
        inside = first + columns < n_cols
        y = tl.load(y_ptr + start + first + columns, mask=inside, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + start + first + columns, mask=inside, other=0.0).to(tl.float32)
        tl.store(dx_ptr + start + first + columns, y * (dy - total), mask=inside)


### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_triton operator
### STUB # Define hotloop_softmax_triton::forward and ::backward with torch.library.custom_op, give
### STUB # each a fake kernel, and register the gradient of forward.
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


@_backward.register_fake
def _(y, dy):
    return y.new_empty(y.shape)


def _keep(ctx, inputs, output):
    ctx.save_for_backward(output)


@torch.autograd.function.once_differentiable
def _gradient(ctx, dy):
    (y,) = ctx.saved_tensors
    return torch.ops.hotloop_softmax_triton.backward(y, dy)


_forward.register_autograd(_gradient, setup_context=_keep)
### END SOLUTION


def softmax(x):
    """Softmax of each row. x: [rows, columns], float32, float16 or bfloat16."""
    return torch.ops.hotloop_softmax_triton.forward(x)


trials = Trials(softmax)
gradient, second_gradient = trials.gradient, trials.second_gradient
compiled, compiled_gradient = trials.compiled, trials.compiled_gradient
exported = trials.exported
