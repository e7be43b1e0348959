"""Gated block attention as an operator of PyTorch: task 2.

`sparse_lab::attention` is what autograd, the compiler and the exporters see. What computes inside
is theirs to call and not to look into.
"""

import math

import reference
import torch
from operator_trials import Trials


### TASK sparse_attention_op.operator
# Define sparse_lab::attention(q, k, v, threshold, block, causal) with
# torch.library.custom_op, give it a fake kernel, and register its gradient.


def attention(q, k, v, threshold, block, causal):
    """The operator, called."""
    return torch.ops.sparse_lab.attention(q, k, v, threshold, block, causal)


trials = Trials(attention)
exported, gradient, compiled_gradient = trials.exported, trials.gradient, trials.compiled_gradient
