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


### BEGIN SOLUTION transformer_compilation.flash_backward kernels
### STUB @triton.jit
### STUB def _for_keys(
### STUB     q_ptr, k_ptr, v_ptr, out_ptr, dout_ptr, lse_ptr, grads_ptr, queries, keys, scale,
### STUB     WIDTH: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
### STUB ):
### STUB     pass  # one program, some keys of one head, over all queries that see them
@triton.jit
def _rows(base, head, count, index, WIDTH: tl.constexpr):
    """Pointers to some rows of a head, and which of them there are."""
    column = tl.arange(0, WIDTH)
    return base + head * count * WIDTH + index[:, None] * WIDTH + column[None, :]


@triton.jit
def _weights(q, k, lse, query, key, queries, keys, scale, CAUSAL: tl.constexpr):
    """exp(score − logarithm of the sum), 0 for what is not seen."""
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    seen = (query < queries)[:, None] & (key < keys)[None, :]
    if CAUSAL:
        seen = seen & (key[None, :] <= query[:, None] + keys - queries)
    shift = tl.where(lse == -float("inf"), 0.0, lse)
    return tl.where(seen, tl.exp(scores - shift[:, None]), 0.0)


@triton.jit
def _for_keys(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    dout_ptr,
    lse_ptr,
    grads_ptr,
    queries,
    keys,
    scale,
    CAUSAL: tl.constexpr,
    WIDTH: tl.constexpr,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)
    key = tl.program_id(0) * KEYS + tl.arange(0, KEYS)
    there = (key < keys)[:, None]
    k = tl.load(_rows(k_ptr, head, keys, key, WIDTH), mask=there, other=0.0)
    v = tl.load(_rows(v_ptr, head, keys, key, WIDTH), mask=there, other=0.0)
    dk = tl.zeros((KEYS, WIDTH), tl.float32)
    dv = tl.zeros((KEYS, WIDTH), tl.float32)
    first = 0
    if CAUSAL:
        # The first query that sees the first of these keys, rounded down to a block.
        first = tl.maximum(0, tl.program_id(0) * KEYS + queries - keys) // QUERIES * QUERIES
    for start in range(first, queries, QUERIES):
        query = start + tl.arange(0, QUERIES)
        inside = (query < queries)[:, None]
        q = tl.load(_rows(q_ptr, head, queries, query, WIDTH), mask=inside, other=0.0)
        out = tl.load(_rows(out_ptr, head, queries, query, WIDTH), mask=inside, other=0.0)
        dout = tl.load(_rows(dout_ptr, head, queries, query, WIDTH), mask=inside, other=0.0)
        lse = tl.load(lse_ptr + head * queries + query, mask=query < queries, other=0.0)
        delta = tl.sum(out.to(tl.float32) * dout.to(tl.float32), axis=1)
        weights = _weights(q, k, lse, query, key, queries, keys, scale, CAUSAL)
        dv = tl.dot(tl.trans(weights).to(v.dtype), dout, dv, input_precision="ieee")
        dweights = tl.dot(dout, tl.trans(v), input_precision="ieee")
        dscores = weights * (dweights - delta[:, None])
        dk = tl.dot(tl.trans(dscores).to(q.dtype), q, dk, input_precision="ieee")
    # Gradients of keys lie behind those of queries, those of values behind them.
    total = queries + 2 * keys
    tl.store(_rows(grads_ptr, head, total, queries + key, WIDTH), dk * scale, mask=there)
    tl.store(_rows(grads_ptr, head, total, queries + keys + key, WIDTH), dv, mask=there)


@triton.jit
def _for_queries(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    dout_ptr,
    lse_ptr,
    grads_ptr,
    queries,
    keys,
    scale,
    CAUSAL: tl.constexpr,
    WIDTH: tl.constexpr,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)
    query = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    inside = (query < queries)[:, None]
    q = tl.load(_rows(q_ptr, head, queries, query, WIDTH), mask=inside, other=0.0)
    out = tl.load(_rows(out_ptr, head, queries, query, WIDTH), mask=inside, other=0.0)
    dout = tl.load(_rows(dout_ptr, head, queries, query, WIDTH), mask=inside, other=0.0)
    lse = tl.load(lse_ptr + head * queries + query, mask=query < queries, other=0.0)
    delta = tl.sum(out.to(tl.float32) * dout.to(tl.float32), axis=1)
    dq = tl.zeros((QUERIES, WIDTH), tl.float32)
    end = keys
    if CAUSAL:
        end = tl.minimum(keys, (tl.program_id(0) + 1) * QUERIES + keys - queries)
    for start in range(0, end, KEYS):
        key = start + tl.arange(0, KEYS)
        there = (key < keys)[:, None]
        k = tl.load(_rows(k_ptr, head, keys, key, WIDTH), mask=there, other=0.0)
        v = tl.load(_rows(v_ptr, head, keys, key, WIDTH), mask=there, other=0.0)
        weights = _weights(q, k, lse, query, key, queries, keys, scale, CAUSAL)
        dweights = tl.dot(dout, tl.trans(v), input_precision="ieee")
        dscores = weights * (dweights - delta[:, None])
        dq = tl.dot(dscores.to(k.dtype), k, dq, input_precision="ieee")
    total = queries + 2 * keys
    tl.store(_rows(grads_ptr, head, total, query, WIDTH), dq * scale, mask=inside)


### END SOLUTION


### BEGIN SOLUTION transformer_compilation.flash_backward launch
### STUB def gradients(q, k, v, out, dout, lse, scale, causal, grads):
### STUB     """Fill `grads` with the gradients of q, k and v; see the notebook."""
### STUB     raise NotImplementedError("transformer_compilation.flash_backward")
def gradients(q, k, v, out, dout, lse, scale, causal, grads):
    """Fill `grads` with the gradients of q, k and v; see the notebook."""
    heads, queries, width = q.shape
    keys, block = k.shape[1], 64
    sizes = {"CAUSAL": causal, "WIDTH": width, "QUERIES": block, "KEYS": block, "num_warps": 4}
    given = (q, k, v, out, dout, lse, grads, queries, keys, scale)
    _for_keys[(triton.cdiv(keys, block), heads)](*given, **sizes)
    _for_queries[(triton.cdiv(queries, block), heads)](*given, **sizes)


### END SOLUTION


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
