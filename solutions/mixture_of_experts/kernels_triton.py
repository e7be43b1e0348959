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


### BEGIN SOLUTION mixture_of_experts.permute
### STUB def permute(
### STUB     x: torch.Tensor, experts: torch.Tensor, num_experts: int, out: torch.Tensor
### STUB ) -> None:
### STUB     """Write the rows of x to `out`, by expert, and by token within an expert.
### STUB
### STUB     x: [tokens, width], float16; experts: [tokens, k], int32, k different ones in each row.
### STUB     out: [tokens · k, width], float16.
### STUB     """
### STUB     raise NotImplementedError("mixture_of_experts.permute")
@triton.jit
def _chosen(experts_ptr, tokens, count, k, EXPERTS: tl.constexpr):
    """Return 1 where a token of the block chose an expert: [TOKENS, EXPERTS]."""
    lanes = tl.arange(0, EXPERTS)
    chosen = tl.zeros((tokens.shape[0], EXPERTS), tl.int32)
    for slot in range(k):
        expert = tl.load(experts_ptr + tokens * k + slot, mask=tokens < count, other=-1)
        chosen += (expert[:, None] == lanes[None, :]).to(tl.int32)
    return chosen


@triton.jit
def _histograms(experts_ptr, histograms_ptr, count, k, TOKENS: tl.constexpr, EXPERTS: tl.constexpr):
    block = tl.program_id(0)
    tokens = block * TOKENS + tl.arange(0, TOKENS)
    chosen = _chosen(experts_ptr, tokens, count, k, EXPERTS)
    tl.store(histograms_ptr + block * EXPERTS + tl.arange(0, EXPERTS), tl.sum(chosen, axis=0))


@triton.jit
def _scatter(
    x_ptr,
    experts_ptr,
    histograms_ptr,
    out_ptr,
    count,
    k,
    width,
    blocks,
    TOKENS: tl.constexpr,
    EXPERTS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    block = tl.program_id(0)
    lanes = tl.arange(0, EXPERTS)
    totals = tl.zeros((EXPERTS,), tl.int32)
    before = tl.zeros((EXPERTS,), tl.int32)
    for other in range(blocks):
        histogram = tl.load(histograms_ptr + other * EXPERTS + lanes)
        totals += histogram
        before += tl.where(other < block, histogram, 0)
    # The first row of each expert, after the rows that earlier blocks write to it.
    first = tl.cumsum(totals, axis=0) - totals + before
    tokens = block * TOKENS + tl.arange(0, TOKENS)
    chosen = _chosen(experts_ptr, tokens, count, k, EXPERTS)
    places = first[None, :] + tl.cumsum(chosen, axis=0) - chosen
    for start in range(0, width, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        inside = (tokens < count)[:, None] & (columns < width)[None, :]
        rows = tl.load(
            x_ptr + tokens[:, None].to(tl.int64) * width + columns[None, :], mask=inside, other=0.0
        )
        # A row is loaded once, and stored once for each of its experts.
        for slot in range(k):
            expert = tl.load(experts_ptr + tokens * k + slot, mask=tokens < count, other=-1)
            place = tl.sum(tl.where(expert[:, None] == lanes[None, :], places, 0), axis=1)
            tl.store(
                out_ptr + place[:, None].to(tl.int64) * width + columns[None, :], rows, mask=inside
            )


def permute(x: torch.Tensor, experts: torch.Tensor, num_experts: int, out: torch.Tensor) -> None:
    """Write the rows of x to `out`, by expert, and by token within an expert.

    x: [tokens, width], float16; experts: [tokens, k], int32, k different ones in each row.
    out: [tokens · k, width], float16.
    """
    (count, width), k = x.shape, experts.shape[1]
    tokens, lanes = 32, max(16, triton.next_power_of_2(num_experts))
    blocks = triton.cdiv(count, tokens)
    histograms = torch.empty(blocks, lanes, dtype=torch.int32, device=x.device)
    _histograms[(blocks,)](experts, histograms, count, k, TOKENS=tokens, EXPERTS=lanes)
    _scatter[(blocks,)](
        x, experts, histograms, out, count, k, width, blocks,
        TOKENS=tokens, EXPERTS=lanes, COLUMNS=128,
    )  # fmt: skip


### END SOLUTION


### BEGIN SOLUTION mixture_of_experts.grouped_gemm
### STUB def grouped_gemm(
### STUB     x: torch.Tensor, w: torch.Tensor, offsets: torch.Tensor, out: torch.Tensor
### STUB ) -> None:
### STUB     """Write x[offsets[e] : offsets[e + 1]] @ w[e] to these rows of `out`, for each e.
### STUB
### STUB     x: [rows, k], w: [experts, k, n], both float16; offsets: [experts + 1], int32.
### STUB     out: [rows, n], float32.
### STUB     """
### STUB     raise NotImplementedError("mixture_of_experts.grouped_gemm")
GROUP = 4
"""Tiles below one another that programs with neighboring numbers compute."""


@triton.jit
def _grouped_product(
    x_ptr,
    w_ptr,
    offsets_ptr,
    out_ptr,
    experts,
    n,
    k,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    GROUP: tl.constexpr,
):
    across = tl.cdiv(n, N)
    number = tl.program_id(0)
    # Which expert's tile this program computes; only the GPU knows how many tiles each has.
    expert, tile, start, end = -1, 0, 0, 0
    tiles = 0
    for e in range(experts):
        low, high = tl.load(offsets_ptr + e), tl.load(offsets_ptr + e + 1)
        new = tl.cdiv(high - low, M) * across
        if (number >= tiles) & (number < tiles + new):
            expert, tile, start, end = e, number - tiles, low, high
        tiles += new
    if expert >= 0:
        down = tl.cdiv(end - start, M)
        group = tile // (GROUP * across)
        within = tile % (GROUP * across)
        height = tl.minimum(down - group * GROUP, GROUP)
        rows = start + (group * GROUP + within % height) * M + tl.arange(0, M)
        columns = within // height * N + tl.arange(0, N)
        depth = tl.arange(0, K)
        total = tl.zeros((M, N), tl.float32)
        for first in range(0, k, K):
            inside = first + depth < k
            a = tl.load(
                x_ptr + rows[:, None] * k + (first + depth)[None, :],
                mask=(rows < end)[:, None] & inside[None, :],
                other=0.0,
            )
            b = tl.load(
                w_ptr + (expert * k + first + depth).to(tl.int64)[:, None] * n + columns[None, :],
                mask=inside[:, None] & (columns < n)[None, :],
                other=0.0,
            )
            total = tl.dot(a, b, total)
        tl.store(
            out_ptr + rows[:, None] * n + columns[None, :],
            total,
            mask=(rows < end)[:, None] & (columns < n)[None, :],
        )


def grouped_gemm(
    x: torch.Tensor, w: torch.Tensor, offsets: torch.Tensor, out: torch.Tensor
) -> None:
    """Write x[offsets[e] : offsets[e + 1]] @ w[e] to these rows of `out`, for each e.

    x: [rows, k], w: [experts, k, n], both float16; offsets: [experts + 1], int32.
    out: [rows, n], float32.
    """
    (rows, k), (experts, _, n) = x.shape, w.shape
    # The host does not know the offsets: each expert may have one incomplete tile more than its
    # share. A decode step has few rows an expert, and loads weights for small tiles as well.
    tile = 64 if rows >= 32 * experts else 16
    most = triton.cdiv(rows, tile) + min(experts, rows)
    grid = (most * triton.cdiv(n, 64),)
    _grouped_product[grid](x, w, offsets, out, experts, n, k, M=tile, N=64, K=32, GROUP=GROUP)


### END SOLUTION
