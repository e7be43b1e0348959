"""Top-k and top-p sampling without a sort, in OpenAI Triton: task 4.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.

On a machine without a GPU the kernel runs in Triton's interpreter (TRITON_INTERPRET=1).
"""

import triton
import triton.language as tl


### TASK llm_serving_frontier.sample_kernel
@triton.jit
def _sample(probabilities_ptr, out_ptr):
    pass  # one program, one row; it needs more parameters


def sample(probabilities, top_k, top_p, uniform, out):
    """Write one token for each row to `out`.

    probabilities: float32 [rows, V], V at most 16384. top_k: int32 [rows]. top_p, uniform:
    float32 [rows]. out: int32 [rows].
    """
    raise NotImplementedError("llm_serving_frontier.sample_kernel")
