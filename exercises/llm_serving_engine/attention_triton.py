"""Attention of one new token per sequence over a paged KV cache, in OpenAI Triton.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.

On a machine without a GPU the kernel runs in Triton's interpreter (TRITON_INTERPRET=1).
"""

import triton
import triton.language as tl


### TASK llm_serving_engine.paged_decode
@triton.jit
def _paged_decode(q_ptr, k_ptr, v_ptr, table_ptr, positions_ptr, out_ptr):
    pass  # one program, one sequence and one key/value head; it needs more parameters


def paged_decode(q, k_pool, v_pool, table, positions, out):
    """Write attention of each sequence's last token to `out`.

    q, out: [sequences, heads, dim], k_pool, v_pool: [blocks, size, kv_heads, dim]; fp16.
    table: [sequences, most blocks], positions: [sequences]; int32. positions: where each
    query is in its sequence; it attends to the tokens 0, …, position.
    """
    raise NotImplementedError("llm_serving_engine.paged_decode")
