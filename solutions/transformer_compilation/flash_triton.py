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


### BEGIN SOLUTION transformer_compilation.flash_forward kernels
### STUB @triton.jit
### STUB def _forward(
### STUB     q_ptr, k_ptr, v_ptr, out_ptr, queries, keys, scale,
### STUB     WIDTH: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
### STUB ):
### STUB     pass  # one program, some queries of one head
@triton.jit
def _forward(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    queries,
    keys,
    group,
    scale,
    CAUSAL: tl.constexpr,
    WIDTH: tl.constexpr,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)
    first = tl.program_id(0) * QUERIES
    row = first + tl.arange(0, QUERIES)
    column = tl.arange(0, WIDTH)
    block = tl.arange(0, KEYS)
    inside = row < queries
    place = head * queries * WIDTH + row[:, None] * WIDTH + column[None, :]
    q = tl.load(q_ptr + place, mask=inside[:, None], other=0.0)
    keys_of = k_ptr + (head // group) * keys * WIDTH
    values_of = v_ptr + (head // group) * keys * WIDTH
    maximum = tl.full((QUERIES,), -float("inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    summed = tl.zeros((QUERIES, WIDTH), tl.float32)
    end = keys
    if CAUSAL:
        # The last query of this program sees the keys below this; blocks behind it are not read.
        end = tl.minimum(keys, first + QUERIES + keys - queries)
    for start in range(0, end, KEYS):
        there = start + block < keys
        k = tl.load(
            keys_of + (start + block)[None, :] * WIDTH + column[:, None],
            mask=there[None, :],
            other=0.0,
        )
        scores = tl.dot(q, k, input_precision="ieee") * scale
        seen = there[None, :]
        if CAUSAL:
            seen = seen & ((start + block)[None, :] <= row[:, None] + keys - queries)
        scores = tl.where(seen, scores, -float("inf"))
        highest = tl.maximum(maximum, tl.max(scores, axis=1))
        shift = tl.where(highest == -float("inf"), 0.0, highest)
        weights = tl.exp(scores - shift[:, None])
        old = tl.exp(maximum - shift)
        total = total * old + tl.sum(weights, axis=1)
        v = tl.load(
            values_of + (start + block)[:, None] * WIDTH + column[None, :],
            mask=there[:, None],
            other=0.0,
        )
        # The weights are rounded to the type of the values: that is what tensor cores multiply.
        summed = summed * old[:, None]
        summed = tl.dot(weights.to(v.dtype), v, summed, input_precision="ieee")
        maximum = highest
    total = tl.where(total == 0.0, 1.0, total)
    tl.store(out_ptr + place, summed / total[:, None], mask=inside[:, None])


### END SOLUTION


### BEGIN SOLUTION transformer_compilation.flash_forward launch
### STUB def attention(q, k, v, scale, causal, out):
### STUB     """Fill `out` with the attention of q over k and v; see the notebook."""
### STUB     raise NotImplementedError("transformer_compilation.flash_forward")
def attention(q, k, v, scale, causal, out):
    """Fill `out` with the attention of q over k and v; see the notebook."""
    heads, queries, width = q.shape
    block = 128 if queries >= 1024 and width <= 64 else 64
    _forward[(triton.cdiv(queries, block), heads)](
        q,
        k,
        v,
        out,
        queries,
        k.shape[1],
        heads // k.shape[0],
        scale,
        CAUSAL=causal,
        WIDTH=width,
        QUERIES=block,
        KEYS=64,
        num_warps=4 if block == 64 else 8,
    )


### END SOLUTION


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
