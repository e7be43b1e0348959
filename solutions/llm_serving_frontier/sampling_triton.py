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


### BEGIN SOLUTION llm_serving_frontier.sample_kernel
### STUB @triton.jit
### STUB def _sample(probabilities_ptr, out_ptr):
### STUB     pass  # one program, one row; it needs more parameters
### STUB
### STUB
### STUB def sample(probabilities, top_k, top_p, uniform, out):
### STUB     """Write one token for each row to `out`.
### STUB
### STUB     probabilities: float32 [rows, V], V at most 16384. top_k: int32 [rows]. top_p, uniform:
### STUB     float32 [rows]. out: int32 [rows].
### STUB     """
### STUB     raise NotImplementedError("llm_serving_frontier.sample_kernel")
@triton.jit
def _sample(
    probabilities_ptr,
    top_k_ptr,
    top_p_ptr,
    uniform_ptr,
    out_ptr,
    vocabulary,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    tokens = tl.arange(0, BLOCK)
    offsets = row.to(tl.int64) * vocabulary + tokens
    p = tl.load(probabilities_ptr + offsets, mask=tokens < vocabulary, other=-1.0)
    count = tl.load(top_k_ptr + row)
    # The largest threshold that keeps `count` tokens, by halving the range of its bits: floats that
    # are not negative are ordered as their bits are, and 1065353216 are those of 1.0.
    low, high = 0, 1065353216
    for _ in range(31):
        middle = (low + high + 1) // 2
        threshold = middle.to(tl.float32, bitcast=True)
        enough = tl.sum((p >= threshold).to(tl.int32), axis=0) >= count
        low = tl.where(enough, middle, low)
        high = tl.where(enough, high, middle - 1)
    p = tl.where(p >= low.to(tl.float32, bitcast=True), p, -1.0)
    # Of those, the largest threshold that keeps this much of their probability.
    mass = tl.load(top_p_ptr + row) * tl.sum(tl.maximum(p, 0.0), axis=0)
    high = 1065353216
    for _ in range(31):
        middle = (low + high + 1) // 2
        threshold = middle.to(tl.float32, bitcast=True)
        enough = tl.sum(tl.where(p >= threshold, p, 0.0), axis=0) >= mass
        low = tl.where(enough, middle, low)
        high = tl.where(enough, high, middle - 1)
    kept = tl.where(p >= low.to(tl.float32, bitcast=True), p, 0.0)
    reached = tl.cumsum(kept, axis=0)
    wanted = tl.load(uniform_ptr + row) * tl.sum(kept, axis=0)
    token = tl.min(tl.where((reached > wanted) & (kept > 0.0), tokens, BLOCK), axis=0)
    tl.store(out_ptr + row, token)


def sample(probabilities, top_k, top_p, uniform, out):
    """Write one token for each row to `out`.

    probabilities: float32 [rows, V], V at most 16384. top_k: int32 [rows]. top_p, uniform:
    float32 [rows]. out: int32 [rows].
    """
    rows, vocabulary = probabilities.shape
    block = triton.next_power_of_2(vocabulary)
    _sample[(rows,)](
        probabilities, top_k, top_p, uniform, out, vocabulary, BLOCK=block, num_warps=8
    )


### END SOLUTION
