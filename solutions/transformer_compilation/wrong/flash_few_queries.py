"""Holds 16 queries in a program, so that keys are read four times as often.

fails: flash_forward.traffic
"""

import triton


### BEGIN SOLUTION transformer_compilation.flash_forward launch
def attention(q, k, v, scale, causal, out):
    """Fill `out` with the attention of q over k and v; see the notebook."""
    heads, queries, width = q.shape
    block = 16
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
