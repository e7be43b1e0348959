"""Attention over lists of kept blocks, in OpenAI Triton: task 3.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.

On a machine without a GPU the kernels run in Triton's interpreter (TRITON_INTERPRET=1).
"""

import math

import torch
import triton
import triton.language as tl


def lists(kept):
    """Of bool [B, H, M, M]: how many key blocks each query block keeps, and which.

    counts: int32 [B, H, M]. columns: int32 [B, H, M, M]; row i begins with its counts[i] kept
    blocks in rising order. What stands behind them means nothing.
    """
    counts = kept.sum(-1, dtype=torch.int32)
    columns = kept.to(torch.uint8).argsort(dim=-1, descending=True, stable=True)
    return counts, columns.to(torch.int32)


### TASK sparse_attention_op.kernel
@triton.jit
def _attend(q_ptr, k_ptr, v_ptr, counts_ptr, columns_ptr, out_ptr):
    pass  # one program, one block of queries


def attend(q, k, v, counts, columns, block, causal, out):
    """Write to `out` what the paper says, of the blocks that the lists name.

    q, k, v, out: [B, H, N, D], D contiguous, other strides as they come. counts,
    columns: as lists() makes them. block: 16, 32 or 64.
    """
    raise NotImplementedError("sparse_attention_op.kernel")


def attend_kept(q, k, v, kept, block, causal, out):
    """The same for kept blocks as a mask, bool [B, H, M, M]; with causal, of none behind a query's
    own block.
    """
    attend(q, k, v, *lists(kept.tril() if causal else kept), block, causal, out)
