"""Hidden models and device cards, and the right figures of their audit.

Runs in one of the judge's workers, which sees nothing of the candidate's.
"""

import base64
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
SIDE = 32
KINDS = ("residual", "pools", "bytes", "grouped")
"""Kinds of blocks. Every four models begin with each kind once; each exposes a different
mistake."""


def puzzles(seed, count):
    """Return `count` puzzles: a model in base64, a card as JSON text, and the right figures."""
    rng = np.random.default_rng(seed)
    return [_puzzle(rng, number, KINDS[number % len(KINDS)]) for number in range(count)]


def _puzzle(rng, number, kind):
    model = _Maker(rng).model(kind)
    data = model.SerializeToString()
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
    figures = _figures(model, len(data), operators)
    limits = {}
    for key in ("bytes", "peak_bytes", "segments", "crossing_bytes"):
        # Each limit is just met, or missed by one, with equal probability.
        limits[key] = figures[key] - int(rng.random() < 0.5)
    figures["over"] = sorted(key for key in limits if figures[key] > limits[key])
    card = {"name": f"device {number}", "operators": operators, "limits": limits}
    return {
        "model": base64.b64encode(data).decode(),
        "card": json.dumps(card),
        "figures": figures,
    }


class _Maker:
    def __init__(self, rng):
        self.rng = rng
        self.nodes, self.stored, self.shapes = [], [], {"picture": (3, SIDE)}

    def model(self, kind):
        now = self.block(self.conv("picture", 3), kind)
        for _ in range(int(self.rng.integers(1, 4))):
            now = self.block(now, self.rng.choice(KINDS))
        other = self.silu(self.conv(now, 5))
        outputs = [now, other]
        graph = helper.make_graph(
            self.nodes,
            "net",
            [self.value("picture")],
            [self.value(name) for name in outputs],
            self.stored,
        )
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=9)
        onnx.checker.check_model(model, full_check=True)
        return model

    def block(self, now, kind):
        if kind == "residual":
            width, _ = self.shapes[now]
            inner = self.silu(self.conv(now, 1))
            return self.add(now, self.conv(inner, 3, outputs=width))
        if kind == "pools":
            pooled = self.pool(now, int(self.rng.choice([2, 3, 5])))
            return self.conv(self.concat(now, pooled), 1)
        if kind == "bytes":
            return self.in_bytes(now)
        # A kernel small enough that only its groups are refused.
        return self.conv(now, 3, grouped=True)

    def conv(self, start, kernel, outputs=None, grouped=False):
        width, side = self.shapes[start]
        outputs = outputs or int(self.rng.integers(4, 12))
        groups = width if grouped else 1
        outputs = width if grouped else outputs
        name = self.name("conv")
        weight = self.rng.standard_normal((outputs, width // groups, kernel, kernel))
        given = {"group": groups} if grouped else {}
        if self.rng.random() < 0.5:
            given["kernel_shape"] = [kernel, kernel]
        half = kernel // 2
        inputs = [start, self.store(f"{name}_w", weight.astype(np.float32))]
        self.node("Conv", inputs, name, pads=[half] * 4, **given)
        self.shapes[name] = (outputs, side)
        return name

    def silu(self, start):
        gate = self.like(start, "Sigmoid", [start])
        return self.like(start, "Mul", [start, gate])

    def add(self, one, other):
        return self.like(one, "Add", [one, other])

    def concat(self, one, other):
        name = self.name("concat")
        self.node("Concat", [one, other], name, axis=1)
        self.shapes[name] = (self.shapes[one][0] + self.shapes[other][0], self.shapes[one][1])
        return name

    def pool(self, start, kernel):
        name = self.name("pool")
        begin = (kernel - 1) // 2
        pads = [begin, begin, kernel - 1 - begin, kernel - 1 - begin]
        self.node("MaxPool", [start], name, kernel_shape=[kernel] * 2, pads=pads)
        self.shapes[name] = self.shapes[start]
        return name

    def in_bytes(self, start):
        scale = self.store(self.name("scale"), np.array(0.1, np.float32))
        zero = self.store(self.name("zero"), np.array(128, np.uint8))
        small = self.like(start, "QuantizeLinear", [start, scale, zero])
        pooled = self.pool(small, 3)
        return self.like(start, "DequantizeLinear", [pooled, scale, zero])

    def like(self, start, op, inputs):
        name = self.name(op.lower())
        self.node(op, inputs, name)
        self.shapes[name] = self.shapes[start]
        return name

    def node(self, op, inputs, name, **given):
        self.nodes.append(helper.make_node(op, inputs, [name], name=f"n{len(self.nodes)}", **given))

    def store(self, name, values):
        self.stored.append(numpy_helper.from_array(values, name))
        return name

    def value(self, name):
        width, side = self.shapes[name]
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, width, side, side])

    def name(self, kind):
        return f"{kind}_{len(self.nodes)}_{len(self.stored)}"


def _figures(model, size, operators):
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    sizes = {}
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        count = int(np.prod([dim.dim_value for dim in kind.shape.dim]))
        sizes[value.name] = count * helper.tensor_dtype_to_np_dtype(kind.elem_type).itemsize
    taken = [_taken(node, stored, operators) for node in graph.node]
    return {
        "refused": sorted(n.name for n, good in zip(graph.node, taken, strict=True) if not good),
        "segments": sum(b and not a for a, b in zip([False, *taken], taken, strict=False)),
        "bytes": size,
        "peak_bytes": _peak(graph, sizes),
        "crossing_bytes": _crossing(graph, sizes, taken),
    }


def _taken(node, stored, operators):
    rule = operators.get(node.op_type)
    if rule is None:
        return False
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Conv" and not rule.get("groups", True) and given.get("group", 1) > 1:
        return False
    if "largest_kernel" not in rule:
        return True
    kernel = given.get("kernel_shape") or list(stored[node.input[1]].dims)[2:]
    return max(kernel) <= rule["largest_kernel"]


def _peak(graph, sizes):
    last = {}
    for step, node in enumerate(graph.node):
        for name in (*node.input, *node.output):
            last[name] = step
    last.update({value.name: len(graph.node) for value in graph.output})
    alive = {value.name for value in graph.input}
    peak = 0
    for step, node in enumerate(graph.node):
        alive |= set(node.output)
        peak = max(peak, sum(sizes[name] for name in alive))
        alive = {name for name in alive if last.get(name, -1) > step}
    return peak


def _crossing(graph, sizes, taken):
    """Return the bytes of tensors that cross between delegate and CPU, each tensor counted once."""
    made = {value.name: False for value in graph.input}
    for node, mine in zip(graph.node, taken, strict=True):
        made.update(dict.fromkeys(node.output, mine))
    crossing = {value.name for value in graph.output if made[value.name]}
    for node, mine in zip(graph.node, taken, strict=True):
        crossing |= {n for n in node.input if n in made and made[n] != mine}
    return sum(sizes[name] for name in crossing)
