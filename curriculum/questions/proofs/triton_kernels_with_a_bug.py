"""Four Triton kernels with a bug, on an input that hides it and on one that shows it."""

from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl
from torch.nn import functional

# ruff: noqa: D103, N803


@triton.jit
def matvec(a_ptr, x_ptr, y_ptr, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, K, BLOCK):
        a = tl.load(a_ptr + row * K + start + k, mask=k < K, other=0.0)
        x = tl.load(x_ptr + start + k, mask=k < K, other=0.0)
        acc += a * x
    tl.store(y_ptr + row, tl.sum(acc, axis=0))


@triton.jit
def matvec_right(a_ptr, x_ptr, y_ptr, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, K, BLOCK):
        a = tl.load(a_ptr + row * K + start + k, mask=start + k < K, other=0.0)
        x = tl.load(x_ptr + start + k, mask=start + k < K, other=0.0)
        acc += a * x
    tl.store(y_ptr + row, tl.sum(acc, axis=0))


@triton.jit
def rms_norm(x_ptr, w_ptr, y_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    tl.store(y_ptr + row * n_cols + cols, x * scale * w, mask=mask)


@triton.jit
def rms_norm_right(x_ptr, w_ptr, y_ptr, x_stride, y_stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    tl.store(y_ptr + row * y_stride + cols, x * scale * w, mask=mask)


@triton.jit
def decode_attention(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    d = tl.arange(0, D)
    q = tl.load(q_ptr + d)
    m = -float("inf")
    total = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        inside = rows < n
        at = rows[:, None] * D + d[None, :]
        k = tl.load(k_ptr + at, mask=inside[:, None], other=0.0)
        v = tl.load(v_ptr + at, mask=inside[:, None], other=0.0)
        s = tl.where(inside, tl.sum(k * q[None, :], axis=1) * scale, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=0))
        p = tl.exp(s - m_new)
        total = total * tl.exp(m - m_new) + tl.sum(p, axis=0)
        acc += tl.sum(p[:, None] * v, axis=0)
        m = m_new
    tl.store(out_ptr + d, acc / total)


@triton.jit
def decode_attention_right(
    q_ptr, k_ptr, v_ptr, out_ptr, n, scale, D: tl.constexpr, BLOCK: tl.constexpr
):
    d = tl.arange(0, D)
    q = tl.load(q_ptr + d)
    m = -float("inf")
    total = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        inside = rows < n
        at = rows[:, None] * D + d[None, :]
        k = tl.load(k_ptr + at, mask=inside[:, None], other=0.0)
        v = tl.load(v_ptr + at, mask=inside[:, None], other=0.0)
        s = tl.where(inside, tl.sum(k * q[None, :], axis=1) * scale, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=0))
        p = tl.exp(s - m_new)
        total = total * tl.exp(m - m_new) + tl.sum(p, axis=0)
        acc = acc * tl.exp(m - m_new) + tl.sum(p[:, None] * v, axis=0)
        m = m_new
    tl.store(out_ptr + d, acc / total)


@triton.jit
def gather_page(cache_ptr, table_ptr, out_ptr, page_stride, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    page = tl.load(table_ptr + i)  # int32
    cols = tl.arange(0, BLOCK)
    source = cache_ptr + page * page_stride + cols
    tl.store(out_ptr + i * BLOCK + cols, tl.load(source))


@triton.jit
def offset_of(table_ptr, out_ptr, page_stride, WIDE: tl.constexpr):
    page = tl.load(table_ptr)
    if WIDE:
        page = page.to(tl.int64)
    tl.store(out_ptr, page * page_stride)


def far(got: torch.Tensor, expected: torch.Tensor) -> str:
    """Whether the results differ by more than rounding."""
    return "right" if torch.allclose(got, expected, rtol=1e-4, atol=1e-5) else "wrong"


def mask_of_a_loop() -> None:
    """A matrix times a vector, with K a multiple of the block and not."""
    for k in (64, 60):
        a, x = torch.randn(4, k), torch.randn(k)
        # What lies behind x in memory; behind the rows of a lie the next rows.
        behind = torch.cat([x, torch.ones(64)])
        taller = torch.cat([a, torch.ones(1, k)])
        told: list[str] = []
        for kernel in (matvec, matvec_right):
            y = torch.empty(4)
            kernel[(4,)](taller, behind, y, k, BLOCK=32)
            told.append(far(y, a @ x))
        print(f"matvec, K={k}: mask k < K {told[0]}, mask start + k < K {told[1]}")
        assert told == ["right" if k == 64 else "wrong", "right"]


def stride_of_a_view() -> None:
    """RMSNorm of a matrix, and of the left half of a wider one."""
    w = torch.randn(64)
    for name, x in (("contiguous", torch.randn(4, 64)), ("a view", torch.randn(4, 128)[:, :64])):
        expected = functional.rms_norm(x, (64,), w, 1e-6)
        first, second = torch.empty(4, 64), torch.empty(4, 64)
        rms_norm[(4,)](x, w, first, 64, 1e-6, BLOCK=64)
        rms_norm_right[(4,)](x, w, second, x.stride(0), 64, 64, 1e-6, BLOCK=64)
        told = [far(first, expected), far(second, expected)]
        print(f"rms_norm, {name}: n_cols as stride {told[0]}, x.stride(0) {told[1]}")
        assert told == ["right" if name == "contiguous" else "wrong", "right"]
        assert far(first[0], expected[0]) == "right", "the first row shows nothing"


def rescaled_accumulator() -> None:
    """Decode attention where the largest score comes first, and where it comes later."""
    q, k, v = torch.randn(16), torch.randn(48, 16), torch.randn(48, 16)
    order = torch.argsort(k @ q, descending=True)
    for name, rows in (("first", order), ("last", order.flip(0))):
        keys, values = k[rows].contiguous(), v[rows].contiguous()
        expected = torch.softmax(keys @ q / 4, 0) @ values
        told: list[str] = []
        for kernel in (decode_attention, decode_attention_right):
            out = torch.empty(16)
            kernel[(1,)](q, keys, values, out, 48, 0.25, D=16, BLOCK=16)
            told.append(far(out, expected))
        print(f"decode_attention, largest score {name}: acc as it is {told[0]}, scaled {told[1]}")
        assert told == ["right" if name == "first" else "wrong", "right"]


def width_of_an_offset() -> None:
    """The offset of a page, in int32 and in int64; and a small cache, where both are right."""
    table, stride = torch.tensor([2, 0, 3], dtype=torch.int32), 16
    cache, out = torch.randn(4 * stride), torch.empty(3 * stride)
    gather_page[(3,)](cache, table, out, stride, BLOCK=stride)
    assert torch.equal(out.view(3, stride), cache.view(4, stride)[table])
    elements = 16 * 8 * 128
    for page in (131_071, 131_072, 200_000):
        found: list[int] = []
        for wide in (False, True):
            offset = torch.zeros(1, dtype=torch.int64)
            table = torch.tensor([page], dtype=torch.int32)
            offset_of[(1,)](table, offset, elements, WIDE=wide)
            found.append(int(offset.item()))
        print(f"page {page} of {elements} elements: int32 {found[0]}, int64 {found[1]}")
        assert found[1] == page * elements
        assert (found[0] == found[1]) == (page * elements < 2**31)


if __name__ == "__main__":
    torch.manual_seed(0)
    mask_of_a_loop()
    stride_of_a_view()
    rescaled_accumulator()
    width_of_an_offset()
