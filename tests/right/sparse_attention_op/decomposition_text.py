"""ONNX's own text, parsed: membership as a matrix, sums as products, softmax and a mask."""


### BEGIN SOLUTION sparse_attention_op.decomposition
import math
from pathlib import Path

GRAPH = """
<ir_version: 8, opset_import: ["" : {opset}]>
attention (float[batch, {heads}, length, {depth}] q, float[batch, {heads}, length, {depth}] k,
           float[batch, {heads}, length, {depth}] v, float[{heads}] threshold)
    => (float[batch, {heads}, length, {depth}] out)
<int64 zero = {{0}}, int64 one = {{1}}, int64 block = {{{block}}}, int64[1] column = {{1}},
 int64[1] rows = {{2}}, int64[2] last_two = {{1, 2}}, float scale = {{{scale}}},
 float half = {{0.5}}, float far = {{-1.0e30}}>
{{
    length1 = Shape <start = 2, end = 3> (q)
    length = Squeeze (length1)
    up = Add (length, block)
    less = Sub (up, one)
    blocks = Div (less, block)
    token = Range (zero, length, one)
    home = Div (token, block)
    number = Range (zero, blocks, one)
    upright = Unsqueeze (number, column)
    belongs = Equal (upright, home)
    member = Cast <to = 1> (belongs)
    tokens = ReduceSum <keepdims = 1> (member, column)
    average = Div (member, tokens)
    q_means = MatMul (average, q)
    k_means = MatMul (average, k)
    k_turned = Transpose <perm = [0, 1, 3, 2]> (k_means)
    products = MatMul (q_means, k_turned)
    gate = Mul (products, scale)
    limit = Unsqueeze (threshold, last_two)
    below = Less (gate, limit)
    kept = Not (below)
    kept_numbers = Cast <to = 1> (kept)
    member_turned = Transpose (member)
    of_rows = MatMul (member_turned, kept_numbers)
    of_tokens = MatMul (of_rows, member)
    seen = Greater (of_tokens, half)
    {causal}
    k_upright = Transpose <perm = [0, 1, 3, 2]> (k)
    dots = MatMul (q, k_upright)
    scaled = Mul (dots, scale)
    scores = Where (allowed, scaled, far)
    shares = Softmax <axis = -1> (scores)
    flags = Cast <to = 1> (allowed)
    only = Mul (shares, flags)
    out = MatMul (only, v)
}}
"""
CAUSAL = """query = Unsqueeze (token, column)
    later = Less (query, token)
    not_later = Not (later)
    allowed = And (seen, not_later)"""


def decomposed(opset, heads, depth, block, causal, target):
    """Write Layer(block, causal) to `target` in operators of ONNX's own, of this opset."""
    text = GRAPH.format(
        opset=opset,
        heads=heads,
        depth=depth,
        block=block,
        scale=repr(1 / math.sqrt(depth)),
        causal=CAUSAL if causal else "allowed = Identity (seen)",
    )
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model, full_check=True)
    Path(target).write_bytes(model.SerializeToString())


### END SOLUTION
