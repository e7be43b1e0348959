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


### BEGIN SOLUTION triton_ensemble.pool_on_gpu kernel
### STUB @triton.jit
### STUB def _pool_row(
### STUB     hidden_ptr, mask_ptr, out_ptr, length, width, TOKENS: tl.constexpr, BLOCK: tl.constexpr
### STUB ):
### STUB     pass  # one program, one row
@triton.jit
def _pool_row(
    hidden_ptr, mask_ptr, out_ptr, length, width, TOKENS: tl.constexpr, BLOCK: tl.constexpr
):
    # 64 bits: rows × length × width passes 2^31.
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, length, TOKENS):
        places = start + tl.arange(0, TOKENS)
        kept = tl.load(mask_ptr + row * length + places, mask=places < length, other=0) != 0
        offsets = (row * length + places)[:, None] * width + columns[None, :]
        # Padding is masked out of the load: its bytes are never read.
        part = tl.load(hidden_ptr + offsets, mask=kept[:, None] & inside[None, :], other=0.0)
        total += tl.sum(part.to(tl.float32), axis=0)
    # The sum points where the mean does: divided by its length, it needs no number of tokens.
    norm = tl.sqrt(tl.sum(total * total, axis=0))
    tl.store(out_ptr + row * width + columns, total / tl.maximum(norm, 1e-12), mask=inside)


### END SOLUTION


### BEGIN SOLUTION triton_ensemble.pool_on_gpu launch
### STUB def pool(hidden: torch.Tensor, mask: torch.Tensor, out: torch.Tensor) -> None:
### STUB     raise NotImplementedError("triton_ensemble.pool_on_gpu")
def pool(hidden: torch.Tensor, mask: torch.Tensor, out: torch.Tensor) -> None:
    """Write each row's embedding to `out`: the mean of its tokens, divided by its length.

    hidden: [rows, length, width], floating, contiguous, width up to 1024. mask: bool
    [rows, length], true is a token. out: float32 [rows, width]; zeros for a row without a token.
    """
    rows, length, width = hidden.shape
    block = triton.next_power_of_2(width)
    _pool_row[(rows,)](
        hidden, mask.view(torch.uint8), out, length, width, TOKENS=TOKENS, BLOCK=block, num_warps=4
    )


### END SOLUTION


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
