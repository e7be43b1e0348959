"""The judge's body of hotloop.lab::SparseAttention in standard ONNX operators, as text.

It is not an export: files with the custom node get this function so that they can run.
"""

from __future__ import annotations

import onnx
from onnx import parser

DOMAIN, NAME, VERSION, OPSET = "hotloop.lab", "SparseAttention", 1, 18

BODY = """
<domain: "hotloop.lab", opset_import: ["" : 18]>
SparseAttention <block, causal> (q, k, v, threshold) => (out)
{
    size = Constant <value_int: int = @block> ()
    zero = Constant <value_int: int = 0> ()
    one = Constant <value_int: int = 1> ()
    line = Constant <value_ints: ints = [-1]> ()
    n1 = Shape <start: int = 2, end: int = 3> (q)
    n = Squeeze (n1)
    d1 = Shape <start: int = 3, end: int = 4> (q)
    d = CastLike (d1, q)
    root = Sqrt (d)
    n_up = Add (n, size)
    n_last = Sub (n_up, one)
    blocks = Div (n_last, size)
    whole = Mul (blocks, size)
    behind = Sub (whole, n)
    behind1 = Reshape (behind, line)
    none1 = Constant <value_ints: ints = [0]> ()
    pads = Concat <axis: int = 0> (none1, behind1)
    axis2 = Constant <value_ints: ints = [2]> ()
    axis3 = Constant <value_ints: ints = [3]> ()
    size1 = Reshape (size, line)
    front = Constant <value_ints: ints = [0, 0, -1]> ()
    split = Concat <axis: int = 0> (front, size1, d1)
    at = Range (zero, blocks, one)
    begins = Mul (at, size)
    left = Sub (n, begins)
    own = Min (size, left)
    owned = CastLike (own, q)
    axis1 = Constant <value_ints: ints = [1]> ()
    divisor = Unsqueeze (owned, axis1)
    q_padded = Pad (q, pads, , axis2)
    k_padded = Pad (k, pads, , axis2)
    q_split = Reshape (q_padded, split)
    k_split = Reshape (k_padded, split)
    q_sum = ReduceSum <keepdims: int = 0> (q_split, axis3)
    k_sum = ReduceSum <keepdims: int = 0> (k_split, axis3)
    q_mean = Div (q_sum, divisor)
    k_mean = Div (k_sum, divisor)
    k_turned = Transpose <perm: ints = [0, 1, 3, 2]> (k_mean)
    products = MatMul (q_mean, k_turned)
    gate = Div (products, root)
    axes12 = Constant <value_ints: ints = [1, 2]> ()
    least = Unsqueeze (threshold, axes12)
    chosen = GreaterOrEqual (gate, least)
    token = Range (zero, n, one)
    home = Div (token, size)
    by_row = Gather <axis: int = 2> (chosen, home)
    by_both = Gather <axis: int = 3> (by_row, home)
    upright = Unsqueeze (token, axis1)
    earlier = GreaterOrEqual (upright, token)
    flag = Constant <value_int: int = @causal> ()
    free = Equal (flag, zero)
    either = Or (earlier, free)
    allowed = And (by_both, either)
    keys = Transpose <perm: ints = [0, 1, 3, 2]> (k)
    raw = MatMul (q, keys)
    scaled = Div (raw, root)
    below = Constant <value_float: float = -3.0e38> ()
    lowest = CastLike (below, q)
    scores = Where (allowed, scaled, lowest)
    last = Constant <value_ints: ints = [-1]> ()
    highest = ReduceMax (scores, last)
    lifted = Sub (scores, highest)
    every = Exp (lifted)
    flags = CastLike (allowed, q)
    weights = Mul (every, flags)
    total = ReduceSum (weights, last)
    unit = CastLike (one, q)
    none_like = CastLike (zero, q)
    nothing = Equal (total, none_like)
    divided = Where (nothing, unit, total)
    mixed = MatMul (weights, v)
    out = Div (mixed, divided)
}
"""


def function() -> onnx.FunctionProto:
    """Return the function, with attributes block and causal."""
    return parser.parse_function(BODY)


def given_to(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with this function in place of its own of the same name."""
    others = [f for f in model.functions if (f.domain, f.name) != (DOMAIN, NAME)]
    del model.functions[:]
    model.functions.extend([*others, function()])
    return model
