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


### TASK llm_serving_frontier.latent_decode
@triton.jit
def _latent_decode(q_ptr, rope_ptr, cache_ptr, out_ptr):
    pass  # one program, one sequence with all of its heads; it needs more parameters


def latent_decode(q, q_rope, cache, positions, windows, out):
    """Write attention of each sequence's last token over its latent cache to `out`.

    q, out: [sequences, heads, R]. q_rope: [sequences, heads, P]. cache: [sequences,
    longest, R + P]. All float16. positions, windows: int32 [sequences].
    """
    raise NotImplementedError("llm_serving_frontier.latent_decode")
