"""Holds 32 rows in a program, so that everything is read twice as often.

fails: flash_backward.traffic
"""

import triton


### BEGIN SOLUTION transformer_compilation.flash_backward launch
def gradients(q, k, v, out, dout, lse, scale, causal, grads):
    """Fill `grads` with the gradients of q, k and v; see the notebook."""
    heads, queries, width = q.shape
    keys, block = k.shape[1], 32
    sizes = {"CAUSAL": causal, "WIDTH": width, "QUERIES": block, "KEYS": block, "num_warps": 4}
    given = (q, k, v, out, dout, lse, grads, queries, keys, scale)
    _for_keys[(triton.cdiv(keys, block), heads)](*given, **sizes)
    _for_queries[(triton.cdiv(queries, block), heads)](*given, **sizes)


### END SOLUTION
