"""Decoding over a latent cache (MLA) with a sliding window, in OpenAI Triton: task 8.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.

On a machine without a GPU the kernel runs in Triton's interpreter (TRITON_INTERPRET=1).
"""

import triton
import triton.language as tl


### BEGIN SOLUTION llm_serving_frontier.latent_decode
### STUB @triton.jit
### STUB def _latent_decode(q_ptr, rope_ptr, cache_ptr, out_ptr):
### STUB     pass  # one program, one sequence with all of its heads; it needs more parameters
### STUB
### STUB
### STUB def latent_decode(q, q_rope, cache, positions, windows, out):
### STUB     """Write attention of each sequence's last token over its latent cache to `out`.
### STUB
### STUB     q, out: [sequences, heads, R]. q_rope: [sequences, heads, P]. cache: [sequences,
### STUB     longest, R + P]. All float16. positions, windows: int32 [sequences].
### STUB     """
### STUB     raise NotImplementedError("llm_serving_frontier.latent_decode")
@triton.jit
def _latent_decode(
    q_ptr,
    rope_ptr,
    cache_ptr,
    positions_ptr,
    windows_ptr,
    out_ptr,
    longest,
    heads,
    R: tl.constexpr,
    P: tl.constexpr,
    PADDED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    sequence = tl.program_id(0)
    last = tl.load(positions_ptr + sequence)
    first = tl.maximum(last - tl.load(windows_ptr + sequence) + 1, 0)
    rows, tokens = tl.arange(0, PADDED), tl.arange(0, BLOCK)
    latent, rope = tl.arange(0, R), tl.arange(0, P)
    own = (rows < heads)[:, None]
    head = (sequence * heads + rows)[:, None]
    q = tl.load(q_ptr + head * R + latent[None, :], mask=own, other=0.0)
    q_rope = tl.load(rope_ptr + head * P + rope[None, :], mask=own, other=0.0)
    highest = tl.full((PADDED,), -float("inf"), tl.float32)
    total = tl.zeros((PADDED,), tl.float32)
    out = tl.zeros((PADDED, R), tl.float32)
    # Only the window's tokens are read, and each once for all heads.
    for start in range(first, last + 1, BLOCK):
        inside = start + tokens <= last
        token = (sequence * longest + start + tokens).to(tl.int64)[:, None] * (R + P)
        c = tl.load(cache_ptr + token + latent[None, :], mask=inside[:, None], other=0.0)
        k = tl.load(cache_ptr + token + R + rope[None, :], mask=inside[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(c)) + tl.dot(q_rope, tl.trans(k))
        scores = tl.where(inside[None, :], scores, -float("inf"))
        above = tl.maximum(highest, tl.max(scores, axis=1))
        shares = tl.exp(scores - above[:, None])
        shrunk = tl.exp(highest - above)
        total = total * shrunk + tl.sum(shares, axis=1)
        out = out * shrunk[:, None] + tl.dot(shares.to(tl.float16), c)
        highest = above
    place = out_ptr + head * R + latent[None, :]
    tl.store(place, (out / total[:, None]).to(tl.float16), mask=own)


def latent_decode(q, q_rope, cache, positions, windows, out):
    """Write attention of each sequence's last token over its latent cache to `out`.

    q, out: [sequences, heads, R]. q_rope: [sequences, heads, P]. cache: [sequences,
    longest, R + P]. All float16. positions, windows: int32 [sequences].
    """
    sequences, heads, width = q.shape
    _latent_decode[(sequences,)](
        q,
        q_rope,
        cache,
        positions,
        windows,
        out,
        cache.shape[1],
        heads,
        R=width,
        P=q_rope.shape[2],
        PADDED=max(16, triton.next_power_of_2(heads)),
        BLOCK=16,
    )


### END SOLUTION
