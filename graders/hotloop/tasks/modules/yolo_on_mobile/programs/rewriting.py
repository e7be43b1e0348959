"""Small graphs with operators that a delegate does not support, and checks of the rewrites.

Runs in the judge's workers. `make` never sees anything of a candidate's; `structure` gets its
files, in a separate process.
"""

import numpy as np
from onnx_builder import Builder
from onnx_facts import refusal
from onnx_motifs import grow
from onnx_rewrites import first_wrong, with_truth

ALLOWED = (
    *("Conv", "Add", "Sub", "Mul", "Div", "Neg", "Abs", "Exp", "Log", "Sigmoid", "Tanh", "Relu"),
    *("Clip", "Max", "Min", "Concat", "MaxPool", "Identity", "Constant"),
)
"""Operators of the delegate. It has no Slice, with or without steps."""

ACTIVATIONS = ("HardSwish", "HardSigmoid", "Mish", "Softplus")
WIDTHS = (40.0, 1.0)
"""Each activation gets large inputs in turn: a rewrite must not overflow in between."""

OPSET = 18


def make(seed, count, kind):
    """Return `count` models with inputs and truth. kind: "activations" or "stem"."""
    rng = np.random.default_rng(seed)
    return [with_truth(_model(rng, kind, number), rng) for number in range(count)]


def structure(path, version=0):
    """Return [index, sentence] about the first rewrite that breaks a requirement, or None.

    path: JSON, pairs of source and rewritten model in base64. version: the required model_version;
    0 to accept any.
    """
    return first_wrong(path, mismatch, lambda _before, _gone: version)


def mismatch(source, rewritten):
    """Return what is wrong with a rewritten model, or None."""
    reason = refusal(rewritten)
    if reason is not None:
        return f"onnx.checker refuses it: {reason}"
    refused = sorted({node.op_type for node in rewritten.graph.node} - set(ALLOWED))
    if refused:
        return f"{refused[0]} is still in it"
    if rewritten.functions:
        return "it has functions of its own"
    for kind in ("input", "output"):
        before, after = (list(getattr(m.graph, kind)) for m in (source, rewritten))
        if [v.SerializeToString() for v in before] != [v.SerializeToString() for v in after]:
            return f"its {kind}s are not those of the source any more"
    convolutions = [sum(n.op_type == "Conv" for n in m.graph.node) for m in (source, rewritten)]
    if convolutions[0] != convolutions[1]:
        return f"it has {convolutions[1]} convolutions, and the source {convolutions[0]}"
    return None


def _model(rng, kind, number):
    """Return a stem (of kind "stem"), then convolutions with activations."""
    net = Builder(rng, OPSET, explicit=0)
    x = net.input("picture", (1, 3, 16, 16))
    if kind == "stem":
        x = _focus(net, x, (3, 1, 5)[number % 3])
    # In every fourth graph the stem's convolution is the last one.
    alone = kind == "stem" and number % 4 == 3
    for step in range(0 if alone else int(rng.integers(2, 4))):
        x = _conv(net, x, 3)
        if kind == "stem":
            x = grow(net, "a = Sigmoid(x); y = Mul(x, a)", x)
        else:
            turn, place = divmod(number + step, len(ACTIVATIONS))
            x = _activation(net, x, ACTIVATIONS[place], WIDTHS[turn % len(WIDTHS)])
    net.outputs.append(net.node("Identity", [x]))
    return net.model()


def _focus(net, x, kernel):
    parts = []
    for down, right in net.rng.permutation([(d, r) for d in (0, 1) for r in (0, 1)]).tolist():
        ends = [int(np.iinfo(np.int64).max)] * 2
        given = ([down, right], ends, [2, 3], [2, 2])
        corner = [net.weight(np.array(values, np.int64), "corner") for values in given]
        parts.append(net.node("Slice", [x, *corner]))
    return _conv(net, net.node("Concat", parts, axis=1), kernel)


def _conv(net, x, kernel):
    channels = int(net.rng.integers(3, 9))
    with_bias = net.rng.random() < 0.5
    bias = net.weight(net.rng.standard_normal(channels), "bias") if with_bias else None
    return net.conv(x, channels, kernel, bias=bias)


def _activation(net, x, op, width):
    factor = net.weight(width, "factor")
    wide = net.node("Mul", [x, factor])
    if op == "HardSigmoid":
        alpha, beta = float(net.rng.uniform(0.1, 0.4)), float(net.rng.uniform(0.3, 0.7))
        return net.node(op, [wide], alpha=alpha, beta=beta)
    return net.node("Div", [net.node(op, [wide]), factor])
