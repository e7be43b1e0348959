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

### BEGIN SOLUTION gemm_tensor_cores.triton_matmul
### STUB def triton_matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
### STUB     """Write a @ b to `c`; a: [m, k], b: [k, n], float16; c: [m, n], float32."""
### STUB     raise NotImplementedError("gemm_tensor_cores.triton_matmul")
GROUP = 4
"""Rows of tiles that programs with neighboring numbers share."""


@triton.jit
def _grouped_matmul(
    a_ptr,
    b_ptr,
    c_ptr,
    m,
    n,
    k,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    GROUP: tl.constexpr,
):
    down, across = tl.cdiv(m, M), tl.cdiv(n, N)
    # Numbers go down a group of GROUP rows of tiles first, then to the next column of tiles.
    group = tl.program_id(0) // (GROUP * across)
    within = tl.program_id(0) % (GROUP * across)
    height = tl.minimum(down - group * GROUP, GROUP)
    rows = (group * GROUP + within % height) * M + tl.arange(0, M)
    columns = within // height * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for first in range(0, k, K):
        inside = first + depth < k
        a = tl.load(
            a_ptr + rows[:, None] * k + (first + depth)[None, :],
            mask=(rows < m)[:, None] & inside[None, :],
            other=0.0,
        )
        b = tl.load(
            b_ptr + (first + depth)[:, None] * n + columns[None, :],
            mask=inside[:, None] & (columns < n)[None, :],
            other=0.0,
        )
        total = tl.dot(a, b, total)
    tl.store(
        c_ptr + rows[:, None] * n + columns[None, :],
        total,
        mask=(rows < m)[:, None] & (columns < n)[None, :],
    )


def triton_matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    """Write a @ b to `c`; a: [m, k], b: [k, n], float16; c: [m, n], float32."""
    (m, k), n = a.shape, b.shape[1]
    # Larger tiles load less, but a small product would leave most of the GPU idle.
    tile = 128 if m * n >= 2048 * 2048 else 64
    grid = (triton.cdiv(m, tile) * triton.cdiv(n, tile),)
    warps = 8 if tile == 128 else 4
    _grouped_matmul[grid](
        a, b, c, m, n, k, M=tile, N=tile, K=32, GROUP=GROUP, num_warps=warps, num_stages=4
    )


### END SOLUTION


### BEGIN SOLUTION gemm_tensor_cores.split_k
### STUB def split_k(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
### STUB     """Write a @ b to `c`, for a long k; types as in triton_matmul."""
### STUB     raise NotImplementedError("gemm_tensor_cores.split_k")
@triton.jit
def _partial_products(
    a_ptr, b_ptr, parts_ptr, m, n, k, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    part = tl.program_id(2)
    total = tl.zeros((M, N), tl.float32)
    for first in range(part * depth, min((part + 1) * depth, k), K):
        along = first + tl.arange(0, K)
        inside = along < min((part + 1) * depth, k)
        a = tl.load(
            a_ptr + rows[:, None] * k + along[None, :],
            mask=(rows < m)[:, None] & inside[None, :],
            other=0.0,
        )
        b = tl.load(
            b_ptr + along[:, None] * n + columns[None, :],
            mask=inside[:, None] & (columns < n)[None, :],
            other=0.0,
        )
        total = tl.dot(a, b, total)
    tl.store(
        parts_ptr + (part * m + rows[:, None]) * n + columns[None, :],
        total,
        mask=(rows < m)[:, None] & (columns < n)[None, :],
    )


@triton.jit
def _sum_of_parts(parts_ptr, c_ptr, count, parts, BLOCK: tl.constexpr):
    elements = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = elements < count
    total = tl.zeros((BLOCK,), tl.float32)
    # Always in the same order: atomic additions would give other roundings in each run.
    for part in range(parts):
        total += tl.load(parts_ptr + part * count + elements, mask=inside, other=0.0)
    tl.store(c_ptr + elements, total, mask=inside)


def split_k(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    """Write a @ b to `c`, for a long k; types as in triton_matmul."""
    (m, k), n = a.shape, b.shape[1]
    tiles = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    parts = max(1, min(32 // (tiles[0] * tiles[1]), triton.cdiv(k, 128)))
    depth = triton.cdiv(triton.cdiv(k, parts), 64) * 64
    partial = torch.empty(parts, m, n, dtype=torch.float32, device=a.device)
    _partial_products[(*tiles, parts)](a, b, partial, m, n, k, depth, M=64, N=64, K=64)
    _sum_of_parts[(triton.cdiv(m * n, 1024),)](partial, c, m * n, parts, BLOCK=1024)


### END SOLUTION


### BEGIN SOLUTION gemm_tensor_cores.epilogue
### STUB def epilogue(
### STUB     x: torch.Tensor,
### STUB     w: torch.Tensor,
### STUB     bias: torch.Tensor,
### STUB     residual: torch.Tensor,
### STUB     out: torch.Tensor,
### STUB ) -> None:
### STUB     """Write gelu(x @ w + bias) + residual to `out`; all are float16."""
### STUB     raise NotImplementedError("gemm_tensor_cores.epilogue")
@triton.jit
def _with_epilogue(
    x_ptr,
    w_ptr,
    bias_ptr,
    residual_ptr,
    out_ptr,
    m,
    n,
    k,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for first in range(0, k, K):
        along = first + tl.arange(0, K)
        x = tl.load(
            x_ptr + rows[:, None] * k + along[None, :],
            mask=(rows < m)[:, None] & (along < k)[None, :],
            other=0.0,
        )
        w = tl.load(
            w_ptr + along[:, None] * n + columns[None, :],
            mask=(along < k)[:, None] & (columns < n)[None, :],
            other=0.0,
        )
        total = tl.dot(x, w, total)
    # The tile is still in registers: nothing but the result goes to memory.
    inside = (rows < m)[:, None] & (columns < n)[None, :]
    places = rows[:, None] * n + columns[None, :]
    bias = tl.load(bias_ptr + columns, mask=columns < n, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + places, mask=inside, other=0.0).to(tl.float32)
    v = total + bias[None, :]
    gelu = 0.5 * v * (1.0 + tl.erf(0.7071067811865476 * v))
    tl.store(out_ptr + places, gelu + residual, mask=inside)


def epilogue(
    x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, out: torch.Tensor
) -> None:
    """Write gelu(x @ w + bias) + residual to `out`; all are float16."""
    (m, k), n = x.shape, w.shape[1]
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    _with_epilogue[grid](x, w, bias, residual, out, m, n, k, M=64, N=64, K=32)


### END SOLUTION


### BEGIN SOLUTION gemm_tensor_cores.w4a16
### STUB def w4a16(
### STUB     x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor, out: torch.Tensor
### STUB ) -> None:
### STUB     """Write x @ dequantized weights to `out`; packed: [k / 2, n], uint8."""
### STUB     raise NotImplementedError("gemm_tensor_cores.w4a16")
@triton.jit
def _w4a16(
    x_ptr,
    packed_ptr,
    scales_ptr,
    out_ptr,
    m,
    n,
    k,
    M: tl.constexpr,
    N: tl.constexpr,
    G: tl.constexpr,
):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    inside = columns < n
    total = tl.zeros((M, N), tl.float32)
    for group in range(k // G):
        pairs = group * (G // 2) + tl.arange(0, G // 2)
        packed = tl.load(
            packed_ptr + pairs[:, None] * n + columns[None, :], mask=inside[None, :], other=0
        )
        even = tl.load(
            x_ptr + rows[:, None] * k + 2 * pairs[None, :], mask=(rows < m)[:, None], other=0.0
        )
        odd = tl.load(
            x_ptr + rows[:, None] * k + 2 * pairs[None, :] + 1, mask=(rows < m)[:, None], other=0.0
        )
        # Whole numbers from -8 to 7, which float16 holds exactly; the scale comes once a group.
        low = ((packed & 15).to(tl.float32) - 8.0).to(tl.float16)
        high = ((packed >> 4).to(tl.float32) - 8.0).to(tl.float16)
        scale = tl.load(scales_ptr + group * n + columns, mask=inside, other=0.0).to(tl.float32)
        total += (tl.dot(even, low) + tl.dot(odd, high)) * scale[None, :]
    tl.store(
        out_ptr + rows[:, None] * n + columns[None, :],
        total,
        mask=(rows < m)[:, None] & inside[None, :],
    )


def w4a16(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor, out: torch.Tensor) -> None:
    """Write x @ dequantized weights to `out`; packed: [k / 2, n], uint8."""
    (m, k), n = x.shape, packed.shape[1]
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 64))
    _w4a16[grid](x, packed, scales, out, m, n, k, M=16, N=64, G=64)


### END SOLUTION


### BEGIN SOLUTION gemm_tensor_cores.decode_attention
### STUB def decode_attention(
### STUB     q: torch.Tensor,
### STUB     k: torch.Tensor,
### STUB     v: torch.Tensor,
### STUB     pages: torch.Tensor,
### STUB     lengths: torch.Tensor,
### STUB     out: torch.Tensor,
### STUB ) -> None:
### STUB     """Attention of one new token a sequence over a paged cache; see the notebook."""
### STUB     raise NotImplementedError("gemm_tensor_cores.decode_attention")
PAGES_A_SPLIT = 4


@triton.jit
def _attend_to_a_split(
    q_ptr,
    k_ptr,
    v_ptr,
    pages_ptr,
    lengths_ptr,
    sums_ptr,
    logs_ptr,
    heads,
    kv_heads,
    most_pages,
    scale,
    SHARE: tl.constexpr,
    PAGE: tl.constexpr,
    D: tl.constexpr,
    PAGES: tl.constexpr,
):
    sequence, kv_head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths_ptr + sequence)
    # The query heads that share this head of the cache; tl.dot needs 16 rows.
    head = tl.arange(0, 16)
    mine = head < SHARE
    row = sequence * heads + kv_head * SHARE + head
    d = tl.arange(0, D)
    q = tl.load(q_ptr + row[:, None] * D + d[None, :], mask=mine[:, None], other=0.0)
    largest = tl.full((16,), float("-inf"), tl.float32)
    weight = tl.zeros((16,), tl.float32)
    total = tl.zeros((16, D), tl.float32)
    for number in range(split * PAGES, min((split + 1) * PAGES, tl.cdiv(length, PAGE))):
        page = tl.load(pages_ptr + sequence * most_pages + number).to(tl.int64)
        token = tl.arange(0, PAGE)
        inside = number * PAGE + token < length
        places = ((page * PAGE + token)[:, None] * kv_heads + kv_head) * D + d[None, :]
        k = tl.load(k_ptr + places, mask=inside[:, None], other=0.0)
        v = tl.load(v_ptr + places, mask=inside[:, None], other=0.0)
        scores = tl.where(inside[None, :], tl.dot(q, tl.trans(k)) * scale, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        shrink = tl.exp(largest - new)
        p = tl.exp(scores - new[:, None])
        weight = weight * shrink + tl.sum(p, axis=1)
        total = total * shrink[:, None] + tl.dot(p.to(v.dtype), v)
        largest = new
    part = split * tl.num_programs(0) * heads + row
    # A split behind the end of its sequence has the weight 0 and the logarithm -inf.
    total = total / tl.where(weight > 0, weight, 1.0)[:, None]
    tl.store(sums_ptr + part[:, None] * D + d[None, :], total, mask=mine[:, None])
    logs = tl.where(weight > 0, largest + tl.log(tl.where(weight > 0, weight, 1.0)), float("-inf"))
    tl.store(logs_ptr + part, logs, mask=mine)


@triton.jit
def _combine_splits(sums_ptr, logs_ptr, out_ptr, rows, splits, D: tl.constexpr, S: tl.constexpr):
    row = tl.program_id(0)
    split, d = tl.arange(0, S), tl.arange(0, D)
    part = split * rows + row
    logs = tl.load(logs_ptr + part, mask=split < splits, other=float("-inf"))
    weight = tl.exp(logs - tl.max(logs, axis=0))
    sums = tl.load(
        sums_ptr + part[:, None] * D + d[None, :], mask=(split < splits)[:, None], other=0.0
    )
    total = tl.sum(sums * weight[:, None], axis=0) / tl.sum(weight, axis=0)
    tl.store(out_ptr + row * D + d, total)


def decode_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    pages: torch.Tensor,
    lengths: torch.Tensor,
    out: torch.Tensor,
) -> None:
    """Attention of one new token a sequence over a paged cache; see the notebook."""
    sequences, heads, d = q.shape
    page, kv_heads = k.shape[1], k.shape[2]
    splits = triton.cdiv(pages.shape[1], PAGES_A_SPLIT)
    sums = torch.empty(splits, sequences, heads, d, dtype=torch.float32, device=q.device)
    logs = torch.empty(splits, sequences, heads, dtype=torch.float32, device=q.device)
    _attend_to_a_split[(sequences, kv_heads, splits)](
        q, k, v, pages, lengths, sums, logs, heads, kv_heads, pages.shape[1], d**-0.5,
        SHARE=heads // kv_heads, PAGE=page, D=d, PAGES=PAGES_A_SPLIT,
    )  # fmt: skip
    _combine_splits[(sequences * heads,)](
        sums, logs, out, sequences * heads, splits, D=d, S=triton.next_power_of_2(splits)
    )


### END SOLUTION
