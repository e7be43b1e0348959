"""Gives the name `out` to a new tensor instead of writing into the one that it was handed.

fails: compiled_chain.correct
"""

# ruff: noqa: F821, F841

import torch

### BEGIN SOLUTION fused_softmax.compiled_chain
compiled = torch.compile(softmax_chain)


def softmax(x, out):
    out = compiled(x)


### END SOLUTION
