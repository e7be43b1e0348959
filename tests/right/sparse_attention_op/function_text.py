"""The function in ONNX's own text, with defaults for its attributes and a second one for the means."""


### BEGIN SOLUTION sparse_attention_op.function
from onnx import parser

MEANS = """
<domain: "hotloop.lab.parts", opset_import: ["" : 18]>
BlockMeans <block> (x) => (means, member)
{
    size = Constant <value_int: int = @block> ()
    zero = Constant <value_int: int = 0> ()
    one = Constant <value_int: int = 1> ()
    column = Constant <value_ints: ints = [1]> ()
    n1 = Shape <start: int = 2, end: int = 3> (x)
    n = Squeeze (n1)
    above = Add (n, size)
    last = Sub (above, one)
    blocks = Div (last, size)
    token = Range (zero, n, one)
    home = Div (token, size)
    number = Range (zero, blocks, one)
    upright = Unsqueeze (number, column)
    same = Equal (upright, home)
    member = CastLike (same, x)
    tokens = ReduceSum <keepdims: int = 1> (member, column)
    average = Div (member, tokens)
    means = MatMul (average, x)
}
"""
ATTENTION = """
<domain: "hotloop.lab", opset_import: ["" : 18, "hotloop.lab.parts" : 1]>
SparseAttention <block: int = 16, causal: int = 0> (q, k, v, threshold) => (out)
{
    zero = Constant <value_int: int = 0> ()
    one = Constant <value_int: int = 1> ()
    column = Constant <value_ints: ints = [1]> ()
    last_two = Constant <value_ints: ints = [1, 2]> ()
    of_q, member = hotloop.lab.parts.BlockMeans <block: int = @block> (q)
    of_k, unused = hotloop.lab.parts.BlockMeans <block: int = @block> (k)
    d1 = Shape <start: int = 3, end: int = 4> (q)
    d = CastLike (d1, q)
    root = Sqrt (d)
    k_turned = Transpose <perm: ints = [0, 1, 3, 2]> (of_k)
    products = MatMul (of_q, k_turned)
    gate = Div (products, root)
    limit = Unsqueeze (threshold, last_two)
    chosen = GreaterOrEqual (gate, limit)
    numbers = CastLike (chosen, q)
    turned = Transpose <perm: ints = [1, 0]> (member)
    rows = MatMul (turned, numbers)
    both = MatMul (rows, member)
    seen = Cast <to: int = 9> (both)
    n1 = Shape <start: int = 2, end: int = 3> (q)
    n = Squeeze (n1)
    token = Range (zero, n, one)
    upright = Unsqueeze (token, column)
    not_later = GreaterOrEqual (upright, token)
    flag = Constant <value_int: int = @causal> ()
    is_causal = Cast <to: int = 9> (flag)
    free = Not (is_causal)
    order = Or (not_later, free)
    allowed = And (seen, order)
    k_upright = Transpose <perm: ints = [0, 1, 3, 2]> (k)
    dots = MatMul (q, k_upright)
    scaled = Div (dots, root)
    low = Constant <value_float: float = -1.0e30> ()
    low_like = CastLike (low, q)
    scores = Where (allowed, scaled, low_like)
    shares = Softmax <axis: int = -1> (scores)
    flags = CastLike (allowed, q)
    only = Mul (shares, flags)
    out = MatMul (only, v)
}
"""


def as_function(heads, depth, block, causal, target):
    """Write one node SparseAttention to `target`, and the function behind it."""
    sizes = f"float[batch, {heads}, length, {depth}]"
    model = parser.parse_model(
        f"""
        <ir_version: 9, opset_import: ["" : 18, "{DOMAIN}" : {VERSION}, "hotloop.lab.parts" : 1]>
        layer ({sizes} q, {sizes} k, {sizes} v, float[{heads}] threshold) => ({sizes} {OUTPUT})
        {{
            {OUTPUT} = {DOMAIN}.{NAME} <block: int = {block}, causal: int = {int(causal)}>
                (q, k, v, threshold)
        }}
        """
    )
    model.functions.extend(map(parser.parse_function, (ATTENTION, MEANS)))
    onnx.checker.check_model(model, full_check=True)
    onnx.save_model(model, target)


### END SOLUTION
