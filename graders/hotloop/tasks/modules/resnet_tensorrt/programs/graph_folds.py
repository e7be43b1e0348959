"""Networks with normalizations that may or may not be folded, and the check of a rewrite.

`mismatch` compares a rewritten model with its source: it derives what should be there, and reports
the first difference. It runs no model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import onnx
from onnx_builder import Builder, Rng
from onnx_motifs import grow
from onnx_rewrites import unsound
from onnx_walk import nodes_within

MOTIFS = (
    # To be folded.
    "a = Conv(x); b = BatchNormalization(a); y = Relu(b)",
    "a = Conv(x, none, bias); b = BatchNormalization(a); y = Relu(b)",
    "a = Conv(x, none, none); b = BatchNormalization(a); y = Relu(b)",
    "a = Conv<group=2>(x, none, bias); b = BatchNormalization(a); y = Relu(b)",
    "a = Conv<group=6>(x, none, bias); b = BatchNormalization(a); y = Relu(b)",
    "a = Conv(x); b = BatchNormalization(a); y = BatchNormalization(b)",
    "a = Conv(x); b = BatchNormalization<momentum=0.9>(a); y = Tanh(b)",
    "a = Conv(x); shown = BatchNormalization(a); y = Relu(shown)",
    (
        "a = Conv(x); b = BatchNormalization(a); c = Conv(x);"
        "d = BatchNormalization<epsilon=0.002>(c, b_scale, b_shift, b_mean, b_variance);"
        "e = Add(b, d); y = Tanh(e)"
    ),
    "a = Conv(x, none, bias); b = BatchNormalization(a); c = Relu(b); d = Inside(b); y = Add(c, d)",
    # The scale has to stay for its other reader.
    "a = Conv(x); b = BatchNormalization(a); c = Relu(b); d = Inside(b_scale); y = Add(c, d)",
    # Not to be folded: others read what the Conv makes, or its weight or bias.
    "a = Conv(x); b = BatchNormalization(a); c = Add(b, a); y = Tanh(c)",
    "shown = Conv(x); b = BatchNormalization(shown); y = Relu(b)",
    (
        "a = Conv(x); b = BatchNormalization(a); c = Tanh(x); d = Conv(c, a_weight);"
        "e = BatchNormalization(d); f = Add(b, e); y = Tanh(f)"
    ),
    (
        "a = Conv(x, none, bias); b = BatchNormalization(a); c = Conv(x, none, bias);"
        "d = Sub(b, c); y = Tanh(d)"
    ),
    "a = Conv(x); b = BatchNormalization(a); c = Relu(b); d = Inside(a); y = Add(c, d)",
    "a = Conv(x); b = BatchNormalization(a); c = Relu(b); d = Inside(a_weight); y = Add(c, d)",
    (
        "a = Conv(x, none, bias); b = BatchNormalization(a); c = Relu(b); d = Inside(bias);"
        "y = Add(c, d)"
    ),
    # A weight or a scale is computed, or callers may pass another one.
    "w = Mul(kernel, factor); a = Conv(x, w); b = BatchNormalization(a); y = Relu(b)",
    (
        "a = Conv(x); b = Abs(positive); c = BatchNormalization(a, b, bias, bias, positive);"
        "y = Relu(c)"
    ),
    "a = Conv(x, offered); b = BatchNormalization(a); y = Relu(b)",
    # It is not behind a Conv, or it is in training mode.
    "a = Conv(x); b = Relu(a); y = BatchNormalization(b)",
    "a = Conv(x); b, c, d = BatchNormalization<training_mode=1>(a); y = Relu(b)",
    (
        "a = ConvTranspose<kernel_shape=[3, 3], pads=[1, 1, 1, 1]>(x, square);"
        "b = BatchNormalization(a); y = Relu(b)"
    ),
)


def foldable_net(rng: Rng) -> onnx.ModelProto:
    """Return a network with each motif once, in random order."""
    net = Builder(rng)
    x = net.input("pixels", (2, 6, 6, 6))
    for place in rng.permutation(len(MOTIFS)):
        x = grow(net, MOTIFS[place], x)
    net.outputs.append(x)
    return net.model()


# --- reading what was made ------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """What folding must do. ends: the tensor that each folded Conv outputs, by the Conv's name.

    gone: names of the folded normalizations. left: why others must stay, by name.
    """

    ends: dict[str, str] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)


def mismatch(source: onnx.ModelProto, rewritten: onnx.ModelProto) -> str | None:
    """Return a message fragment, or None if everything is right."""
    return next(_mismatches(source, rewritten), None)


def planned(graph: onnx.GraphProto) -> Plan:
    """Return which normalizations may be folded: for each Conv, all that follow it."""
    plan = Plan()
    for node in graph.node:
        if node.op_type != "Conv":
            continue
        end, reason = node.output[0], _why_not_conv(graph, node)
        while (norm := _normalization_of(graph, end)) is not None:
            reason = reason or _why_not(graph, end, norm)
            if reason:
                plan.left[norm.name] = reason
                break
            plan.gone.append(norm.name)
            end = plan.ends[node.name] = norm.output[0]
    for node in graph.node:
        if node.op_type == "BatchNormalization" and node.name not in plan.gone:
            plan.left.setdefault(node.name, "it is not behind a Conv")
    return plan


def _mismatches(source: onnx.ModelProto, rewritten: onnx.ModelProto) -> Iterator[str]:
    plan = planned(source.graph)
    there = {node.name: node for node in rewritten.graph.node}
    yield from (
        f"{name} should have stayed: {reason}"
        for name, reason in plan.left.items()
        if name not in there
    )
    yield from unsound(source, rewritten)
    yield from (
        f"{name} is still there, and could have been folded" for name in plan.gone if name in there
    )
    for node in source.graph.node:
        if node.name in plan.gone:
            continue
        if node.name not in there:
            yield f"{node.name} should have stayed"
        elif node.name in plan.ends:
            yield from _about_folded(node, plan.ends[node.name], there[node.name], rewritten.graph)
        elif node != there[node.name]:
            yield f"{node.name} should not have been changed"
    if len(rewritten.graph.node) != len(source.graph.node) - len(plan.gone):
        yield "there are nodes that were not there before"
    yield from _about_initializers(source.graph, rewritten.graph, plan)


def _about_folded(
    conv: onnx.NodeProto, end: str, rewritten: onnx.NodeProto, graph: onnx.GraphProto
) -> Iterator[str]:
    if list(rewritten.output) != [end]:
        yield f"{conv.name} makes {', '.join(rewritten.output)} and should make {end!r} now"
    if rewritten.op_type != "Conv" or list(rewritten.attribute) != list(conv.attribute):
        yield f"{conv.name} should be the same convolution but for its weight and bias"
    if len(rewritten.input) != 3 or rewritten.input[0] != conv.input[0]:
        yield f"{conv.name} should read {conv.input[0]!r}, a weight and a bias"
    stored = {tensor.name for tensor in graph.initializer}
    if not stored.issuperset(rewritten.input[1:]):
        yield f"the weight and the bias of {conv.name} should be initializers"


def _about_initializers(
    source: onnx.GraphProto, rewritten: onnx.GraphProto, plan: Plan
) -> Iterator[str]:
    before = {tensor.name: tensor for tensor in source.initializer}
    now = {tensor.name: tensor for tensor in rewritten.initializer}
    for name, tensor in before.items():
        readers = [node for node in nodes_within(source) if name in node.input]
        folded = [n for n in readers if n.name in plan.gone or n.name in plan.ends]
        if len(folded) < len(readers) and now.get(name) != tensor:
            yield f"initializer {name!r} should not have been changed"
        wanted = len(folded) < len(readers) or not readers
        if not wanted and name in now and not _reads(rewritten, name):
            yield f"initializer {name!r} is still there, and nobody reads it any more"


def _why_not_conv(graph: onnx.GraphProto, conv: onnx.NodeProto) -> str:
    for what, name in zip(("weight", "bias"), conv.input[1:], strict=False):
        if not name:
            continue
        if not _constant(graph, name):
            return f"the {what} of {conv.name} is no constant"
        if _reads(graph, name) > 1:
            return f"the {what} of {conv.name} is read by others too"
    return ""


def _why_not(graph: onnx.GraphProto, end: str, norm: onnx.NodeProto) -> str:
    if any(value.name == end for value in graph.output):
        return f"{end!r} is an output of the graph"
    if _reads(graph, end) > 1:
        return f"others read {end!r} too"
    if any(a.name == "training_mode" and a.i for a in norm.attribute):
        return "it is in training mode"
    if not all(_constant(graph, name) for name in norm.input[1:]):
        return "what it scales by is no constant"
    return ""


def _normalization_of(graph: onnx.GraphProto, tensor: str) -> onnx.NodeProto | None:
    norms = [n for n in graph.node if n.op_type == "BatchNormalization" and n.input[0] == tensor]
    return norms[0] if norms else None


def _reads(graph: onnx.GraphProto, name: str) -> int:
    """Return how often nodes read a tensor, those in branches and bodies, too."""
    return sum(list(node.input).count(name) for node in nodes_within(graph))


def _constant(graph: onnx.GraphProto, name: str) -> bool:
    stored = any(tensor.name == name for tensor in graph.initializer)
    return stored and all(value.name != name for value in graph.input)
