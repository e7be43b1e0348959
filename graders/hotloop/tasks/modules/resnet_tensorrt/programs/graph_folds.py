"""Networks with normalizations that may or may not be folded, and the check of a rewrite.

`mismatch` compares a rewritten model with its source: it derives what should be there, and reports
the first difference. It runs no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import onnx
from graph_nets import Builder, Rng
from graph_sound import unsound
from graph_walk import nodes_within
from onnx import helper

CHANNELS, SIDE = 6, 6

Motif = Callable[[Builder, str], str]


def foldable_net(rng: Rng) -> onnx.ModelProto:
    """Return a network with each motif once, in random order."""
    net = Builder(rng)
    x = net.input("pixels", (2, CHANNELS, SIDE, SIDE))
    for place in rng.permutation(len(MOTIFS)):
        x = MOTIFS[place](net, x)
    net.outputs.append(x)
    model = net.model()
    _offer_as_input(model, net)
    onnx.checker.check_model(model, full_check=True)
    return model


# --- motifs ---------------------------------------------------------------------------------------


def _plain(net: Builder, x: str) -> str:
    return net.conv_bn_relu(x, CHANNELS, int(net.rng.choice([1, 3])))


def _own_bias(net: Builder, x: str) -> str:
    return net.relu(net.batchnorm(net.conv(x, CHANNELS, bias=True)))


def _left_out_bias(net: Builder, x: str) -> str:
    y = net.conv(x, CHANNELS, 1)
    net.nodes[-1].input.append("")
    return net.relu(net.batchnorm(y))


def _grouped(net: Builder, x: str) -> str:
    groups = int(net.rng.choice([2, CHANNELS]))
    return net.relu(net.batchnorm(net.conv(x, CHANNELS, groups=groups, bias=True)))


def _twice(net: Builder, x: str) -> str:
    return net.batchnorm(net.batchnorm(net.conv(x, CHANNELS)))


def _default_epsilon(net: Builder, x: str) -> str:
    y = net.batchnorm(net.conv(x, CHANNELS))
    del net.nodes[-1].attribute[:]
    return net.node("Tanh", [y])


def _shown_normalized(net: Builder, x: str) -> str:
    y = net.batchnorm(net.conv(x, CHANNELS, 1))
    net.outputs.append(y)
    return net.relu(y)


def _same_statistics(net: Builder, x: str) -> str:
    """Two normalizations that read the same initializers; both may be folded."""
    one = net.batchnorm(net.conv(x, CHANNELS))
    statistics = list(net.nodes[-1].input[1:])
    other = net.conv(x, CHANNELS, 1)
    other = net.node("BatchNormalization", [other, *statistics], epsilon=2e-3)
    return net.node("Tanh", [net.node("Add", [one, other])])


def _read_twice(net: Builder, x: str) -> str:
    y = net.conv(x, CHANNELS)
    return net.node("Tanh", [net.node("Add", [net.batchnorm(y), y])])


def _shown_convolved(net: Builder, x: str) -> str:
    y = net.conv(x, CHANNELS)
    net.outputs.append(y)
    return net.relu(net.batchnorm(y))


def _shared_weight(net: Builder, x: str) -> str:
    one = net.conv(x, CHANNELS)
    weight = net.nodes[-1].input[1]
    other = net.conv(net.node("Tanh", [x]), CHANNELS, weight=weight)
    return net.node("Tanh", [net.node("Add", [net.batchnorm(one), net.batchnorm(other)])])


def _shared_bias(net: Builder, x: str) -> str:
    one = net.conv(x, CHANNELS, 1, bias=True)
    bias = net.nodes[-1].input[2]
    other = net.conv(x, CHANNELS, 1)
    net.nodes[-1].input.append(bias)
    return net.node("Tanh", [net.node("Sub", [net.batchnorm(one), other])])


def _computed_weight(net: Builder, x: str) -> str:
    base = net.weight(net.rng.normal(0, 0.5, (CHANNELS, CHANNELS, 1, 1)), "base")
    weight = net.node("Mul", [base, net.weight(np.array(1.5), "gain")])
    return net.relu(net.batchnorm(net.conv(x, CHANNELS, 1, weight=weight)))


def _computed_scale(net: Builder, x: str) -> str:
    y = net.batchnorm(net.conv(x, CHANNELS, 1))
    norm = net.nodes.pop()
    norm.input[1] = net.node("Abs", [norm.input[1]])
    net.nodes.append(norm)
    return net.relu(y)


def _behind_relu(net: Builder, x: str) -> str:
    return net.batchnorm(net.relu(net.conv(x, CHANNELS)))


def _offered(net: Builder, x: str) -> str:
    """A Conv whose weight is also a graph input: callers may pass another one."""
    y = net.conv(x, CHANNELS, 1)
    net.nodes[-1].input[1] = net.weight(net.rng.normal(0, 0.5, (CHANNELS,) * 2 + (1, 1)), "offered")
    net.initializers.pop(-2)
    return net.relu(net.batchnorm(y))


def _training(net: Builder, x: str) -> str:
    return net.relu(net.batchnorm(net.conv(x, CHANNELS), training=True))


def _transposed(net: Builder, x: str) -> str:
    """A ConvTranspose, whose weight has its output channels in another place."""
    weight = net.weight(net.rng.normal(0, 0.3, (CHANNELS, CHANNELS, 3, 3)), "weight")
    y = net.node("ConvTranspose", [x, weight], kernel_shape=[3, 3], pads=[1] * 4)
    return net.relu(net.batchnorm(y))


def _convolved_in_branch(net: Builder, x: str) -> str:
    y = net.conv(x, CHANNELS)
    return net.node("Add", [net.relu(net.batchnorm(y)), net.inside(y)])


def _normalized_in_branch(net: Builder, x: str) -> str:
    y = net.batchnorm(net.conv(x, CHANNELS, bias=True))
    return net.node("Add", [net.relu(y), net.inside(y)])


def _weight_in_branch(net: Builder, x: str) -> str:
    y = net.conv(x, CHANNELS, 1)
    weight = net.nodes[-1].input[1]
    return net.node("Add", [net.relu(net.batchnorm(y)), net.inside(weight)])


def _bias_in_branch(net: Builder, x: str) -> str:
    y = net.conv(x, CHANNELS, 1, bias=True)
    bias = net.nodes[-1].input[2]
    return net.node("Add", [net.relu(net.batchnorm(y)), net.inside(bias)])


def _scale_in_branch(net: Builder, x: str) -> str:
    """It may be folded, and the scale has to stay for its other reader."""
    y = net.batchnorm(net.conv(x, CHANNELS))
    scale = net.nodes[-1].input[1]
    return net.node("Add", [net.relu(y), net.inside(scale)])


MOTIFS: tuple[Motif, ...] = (
    _plain,
    _own_bias,
    _left_out_bias,
    _grouped,
    _twice,
    _default_epsilon,
    _shown_normalized,
    _same_statistics,
    _read_twice,
    _shown_convolved,
    _shared_weight,
    _shared_bias,
    _computed_weight,
    _computed_scale,
    _behind_relu,
    _offered,
    _training,
    _transposed,
    _convolved_in_branch,
    _normalized_in_branch,
    _weight_in_branch,
    _bias_in_branch,
    _scale_in_branch,
)


def _offer_as_input(model: onnx.ModelProto, net: Builder) -> None:
    for tensor in net.initializers:
        if tensor.name.startswith("offered"):
            value = helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
            model.graph.input.append(value)


# --- reading what was made ------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """What folding must do. ends: the tensor that each folded Conv outputs, by the Conv's name.

    gone: names of the folded normalizations. left: why others must stay, by name.
    """

    ends: dict[str, str] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)


def mismatch(source: onnx.ModelProto, made: onnx.ModelProto) -> str | None:
    """Return a message fragment, or None if everything is right."""
    return next(_mismatches(source, made), None)


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


def _mismatches(source: onnx.ModelProto, made: onnx.ModelProto) -> Iterator[str]:
    plan = planned(source.graph)
    there = {node.name: node for node in made.graph.node}
    yield from (
        f"{name} should have stayed: {reason}"
        for name, reason in plan.left.items()
        if name not in there
    )
    yield from unsound(source, made)
    yield from (
        f"{name} is still there, and could have been folded" for name in plan.gone if name in there
    )
    for node in source.graph.node:
        if node.name in plan.gone:
            continue
        if node.name not in there:
            yield f"{node.name} should have stayed"
        elif node.name in plan.ends:
            yield from _about_folded(node, plan.ends[node.name], there[node.name], made.graph)
        elif node != there[node.name]:
            yield f"{node.name} should not have been changed"
    if len(made.graph.node) != len(source.graph.node) - len(plan.gone):
        yield "there are nodes that were not there before"
    yield from _about_initializers(source.graph, made.graph, plan)


def _about_folded(
    conv: onnx.NodeProto, end: str, made: onnx.NodeProto, graph: onnx.GraphProto
) -> Iterator[str]:
    if list(made.output) != [end]:
        yield f"{conv.name} makes {', '.join(made.output)} and should make {end!r} now"
    if made.op_type != "Conv" or list(made.attribute) != list(conv.attribute):
        yield f"{conv.name} should be the same convolution but for its weight and bias"
    if len(made.input) != 3 or made.input[0] != conv.input[0]:
        yield f"{conv.name} should read {conv.input[0]!r}, a weight and a bias"
    stored = {tensor.name for tensor in graph.initializer}
    if not stored.issuperset(made.input[1:]):
        yield f"the weight and the bias of {conv.name} should be initializers"


def _about_initializers(
    source: onnx.GraphProto, made: onnx.GraphProto, plan: Plan
) -> Iterator[str]:
    before = {tensor.name: tensor for tensor in source.initializer}
    now = {tensor.name: tensor for tensor in made.initializer}
    for name, tensor in before.items():
        readers = [node for node in nodes_within(source) if name in node.input]
        folded = [n for n in readers if n.name in plan.gone or n.name in plan.ends]
        if len(folded) < len(readers) and now.get(name) != tensor:
            yield f"initializer {name!r} should not have been changed"
        wanted = len(folded) < len(readers) or not readers
        if not wanted and name in now and not _reads(made, name):
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
