"""Hidden models and device cards, and what running a model on such a device costs.

Runs in the judge's workers. `puzzles` sees nothing of the candidate's; `cost` gets its file, in a
separate process.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import helper
from onnx_builder import Builder
from onnx_cost import peak_bytes, shapes_of, sizes_of
from onnx_motifs import grow
from onnx_rewrites import packed

BLOCKS = {
    "residual": (
        "a = Conv<channels={other}, kernel_shape=[1, 1]>(x); b = Sigmoid(a); c = Mul(a, b);"
        "d = Conv<channels={width}, kernel_shape=[3, 3]>(c); y = Add(x, d)"
    ),
    "pools": (
        "a = MaxPool<kernel_shape=[{pool}, {pool}], pads=[{least}, {least}, {most}, {most}]>(x);"
        "b = Concat<axis=1>(x, a); y = Conv<channels={other}, kernel_shape=[1, 1]>(b)"
    ),
    "bytes": (
        "a = QuantizeLinear(x, scale, zero);"
        "b = MaxPool<kernel_shape=[3, 3], pads=[1, 1, 1, 1]>(a);"
        "y = DequantizeLinear(b, scale, zero)"
    ),
    # A kernel small enough that only its groups are refused.
    "grouped": "y = Conv<group={width}, kernel_shape=[3, 3]>(x)",
}
"""Kinds of blocks. Every four models begin with each kind once; each exposes a different
mistake."""

HEAD = "a = Conv<channels={other}, kernel_shape=[5, 5]>(x); b = Sigmoid(a); y = Mul(a, b)"


def puzzles(seed, count):
    """Return `count` puzzles: a model in base64, a card as JSON text, and the right figures."""
    rng = np.random.default_rng(seed)
    return [_puzzle(rng, number, list(BLOCKS)[number % len(BLOCKS)]) for number in range(count)]


def figures(model, size, operators):
    """Return what a model of `size` bytes costs on a device with these operators.

    "refused": nodes that it does not take. Raises KeyError with the name of a tensor whose size is
    not known before the model runs.
    """
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    sizes, shapes = sizes_of(graph), shapes_of(graph)
    taken = [_taken(node, shapes, operators) for node in graph.node]
    return {
        "refused": [n for n, good in zip(graph.node, taken, strict=True) if not good],
        "segments": sum(b and not a for a, b in zip([False, *taken], taken, strict=False)),
        "bytes": size,
        "peak_bytes": peak_bytes(graph, sizes),
        "crossing_bytes": _crossing(graph, sizes, taken),
    }


def cost(path, card):
    """Return what a file costs on the device of `card` (JSON), or the "unknown" tensor."""
    model = onnx.load(path, load_external_data=False)
    try:
        result = figures(model, Path(path).stat().st_size, json.loads(card)["operators"])
    except KeyError as unknown:
        return {"unknown": unknown.args[0]}
    return result | {"refused": sorted({node.op_type for node in result["refused"]})}


def _puzzle(rng, number, kind):
    model = _model(rng, kind)
    operators = {
        "Conv": {"largest_kernel": 3, "groups": False},
        "MaxPool": {"largest_kernel": int(rng.choice([2, 5]))},
    }
    for op in ("Add", "Concat", "Mul", "Sigmoid", "Relu", "QuantizeLinear", "DequantizeLinear"):
        if rng.random() < 0.75:
            operators[op] = {}
    if kind == "bytes":
        # The tensors that cross to the delegate are uint8, so element size matters.
        operators["MaxPool"]["largest_kernel"] = 5
        operators.pop("QuantizeLinear", None)
    right = figures(model, model.ByteSize(), operators)
    right["refused"] = sorted(node.name for node in right["refused"])
    # Each limit is just met, or missed by one, with equal probability.
    costs = ("bytes", "peak_bytes", "segments", "crossing_bytes")
    limits = {key: right[key] - int(rng.random() < 0.5) for key in costs}
    right["over"] = sorted(key for key in limits if right[key] > limits[key])
    card = {"name": f"device {number}", "operators": operators, "limits": limits}
    return {"model": packed(model), "card": json.dumps(card), "figures": right}


def _model(rng, kind):
    # kernel_shape and group are optional.
    net = Builder(rng, 18, explicit=0.5)
    x = net.conv(net.input("picture", (1, 3, 32, 32)), int(rng.integers(4, 12)))
    for block in (kind, *rng.choice(list(BLOCKS), int(rng.integers(1, 4)))):
        x = grow(net, _sized(net, BLOCKS[block], x), x)
    net.outputs += [x, grow(net, _sized(net, HEAD, x), x)]
    return net.model()


def _sized(net, motif, x):
    pool = int(net.rng.choice([2, 3, 5]))
    least = (pool - 1) // 2
    sizes = {"pool": pool, "least": least, "most": pool - 1 - least}
    return motif.format(width=net.shape(x)[1], other=net.rng.integers(4, 12), **sizes)


def _taken(node, shapes, operators):
    rule = operators.get(node.op_type)
    if node.domain not in ("", "ai.onnx") or rule is None:
        return False
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Conv" and not rule.get("groups", True) and attributes.get("group", 1) > 1:
        return False
    if "largest_kernel" not in rule:
        return True
    # kernel_shape is optional in ONNX; the weight's shape has it, too.
    kernel = attributes.get("kernel_shape") or shapes[node.input[1]][2:]
    return max(kernel) <= rule["largest_kernel"]


def _crossing(graph, sizes, taken):
    """Return the bytes of tensors that cross between delegate and CPU, each tensor counted once."""
    on_delegate = {value.name: False for value in graph.input}
    for node, mine in zip(graph.node, taken, strict=True):
        on_delegate.update(dict.fromkeys(filter(None, node.output), mine))
    crossing = {value.name for value in graph.output if on_delegate[value.name]}
    for node, mine in zip(graph.node, taken, strict=True):
        crossing |= {n for n in node.input if n in on_delegate and on_delegate[n] != mine}
    return sum(sizes[name] for name in crossing)
