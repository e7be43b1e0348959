"""The cost of a plan, by the rules of `costs.md`.

All results are Python floats. Stages are counted from 0, layers through the towers in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from hotloop.judge.constants import Between, constant

Mode = Literal["none", "selective", "full"]
Group = Literal["tensor", "data", "pipeline"]
MODES: tuple[Mode, ...] = ("none", "selective", "full")
WEIGHT, GRADIENT = 2, 2
"""Bytes for each parameter."""


@dataclass(frozen=True)
class Tower:
    """Consecutive equal layers. tokens: of one sequence."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    feedforward: int
    gated: bool
    tokens: int

    @property
    def weights(self) -> float:
        """Parameters of one layer."""
        attention = 2 * self.hidden**2 * (1 + self.kv_heads / self.heads)
        return attention + (3 if self.gated else 2) * self.hidden * self.feedforward

    @property
    def scores_flops(self) -> float:
        """Forward FLOPs of attention's two products without weights, for one sequence."""
        return 4.0 * self.tokens**2 * self.hidden

    @property
    def forward_flops(self) -> float:
        """Forward FLOPs of one layer for one sequence."""
        return 2.0 * self.tokens * self.weights + self.scores_flops

    @property
    def output_bytes(self) -> float:
        """Bytes of one sequence's output, two for each number."""
        return 2.0 * self.tokens * self.hidden

    def saved_bytes(self, mode: Mode, tensor: int) -> float:
        """Return the bytes that one layer keeps for the backward pass, for one sequence on a
        device.
        """
        tokens, hidden = self.tokens, self.hidden
        if mode == "full":
            return 2.0 * tokens * hidden
        scores = 5.0 * self.heads * tokens / hidden if mode == "none" else 0.0
        return tokens * hidden * (34 + scores) / tensor


@dataclass(frozen=True)
class Model:
    """Towers, and the vocabulary after the last one. tied: input and output share their matrix."""

    towers: tuple[Tower, ...]
    vocabulary: int
    tied: bool

    @property
    def layers(self) -> list[Tower]:
        """The tower of each layer."""
        return [tower for tower in self.towers for _ in range(tower.layers)]

    @property
    def last(self) -> Tower:
        """The tower that the output layer follows."""
        return self.towers[-1]

    @property
    def embedding(self) -> float:
        """Parameters of one vocabulary matrix."""
        return float(self.vocabulary * self.last.hidden)

    @property
    def parameters(self) -> float:
        """Parameters of all layers and of the vocabulary matrices."""
        matrices = 1 if self.tied else 2
        return sum(t.layers * t.weights for t in self.towers) + matrices * self.embedding


@dataclass(frozen=True)
class Network:
    """bandwidth: bytes per second from a device. latency: seconds."""

    bandwidth: float
    latency: float


@dataclass(frozen=True)
class Cluster:
    """flops: sustained by a device per second. node: devices in a node.

    memory_bytes: of a device. links: how many links of the fast network each kind of group has.
    """

    devices: int
    node: int
    memory_bytes: float
    flops: float
    fast: Network
    slow: Network
    links: dict[str, int]


class Way(NamedTuple):
    """How devices and batch are divided: a plan without its stages."""

    tensor: int
    pipeline: int
    data: int
    micro_batch: int
    zero: int


@dataclass(frozen=True)
class Plan:
    """How a model is distributed and a step is divided. Lists have one entry for each stage."""

    way: Way
    stages: tuple[int, ...]
    recompute: tuple[Mode, ...]


@dataclass(frozen=True)
class TrainingCase:
    """A model to train on a cluster. batch: sequences per step."""

    model: Model
    cluster: Cluster
    batch: int


@dataclass(frozen=True)
class Estimate:
    """The cost of a plan: one number for each stage, and the step's time."""

    state_bytes: tuple[float, ...]
    activation_bytes: tuple[float, ...]
    stage_s: tuple[float, ...]
    step_s: float
    fits: bool


def invalid(case: TrainingCase, plan: Plan) -> str | None:
    """Return why the plan is not valid, as the end of a sentence, or None."""
    way = plan.way
    group = way.data * way.micro_batch
    if way.tensor * way.pipeline * way.data != case.cluster.devices:
        return f"tensor · pipeline · data is not {case.cluster.devices}"
    if any(tower.heads % way.tensor for tower in case.model.towers):
        return f"tensor {way.tensor} does not divide the heads of every tower"
    if any(tower.tokens % way.tensor for tower in case.model.towers):
        return f"tensor {way.tensor} does not divide the tokens of every tower"
    if case.batch % group:
        return f"data · micro_batch, {group}, does not divide the batch of {case.batch}"
    if len(plan.stages) != way.pipeline or len(plan.recompute) != way.pipeline:
        return f"there are {way.pipeline} stages, and as many must be described"
    if sum(plan.stages) != len(case.model.layers):
        return f"the stages have {sum(plan.stages)} layers of {len(case.model.layers)}"
    return None


class Prices:
    """Costs of layers and groups, which depend on all of a plan but its stages."""

    def __init__(self, case: TrainingCase, way: Way) -> None:
        self.model, self.cluster = case.model, case.cluster
        self.tensor, self.pipeline, self.data, self.micro_batch, self.zero = way
        self.micro_batches = case.batch // (way.data * way.micro_batch)
        self.optimizer = constant("OPTIMIZER_BYTES", 12.0, Between(4.0, 11.9))  # a parameter

    # --- bytes ---

    def parameters(self, layers: Sequence[Tower], stage: int) -> float:
        """Return the parameters on one device of the stage."""
        ends = (stage == 0) + (stage == self.pipeline - 1)
        if self.pipeline == 1 and self.model.tied:
            ends = 1
        return (sum(t.weights for t in layers) + ends * self.model.embedding) / self.tensor

    @property
    def bytes_a_parameter(self) -> float:
        """Bytes of weight, gradient and optimizer state on one device, sharded as `zero` says."""
        shards = [self.data if self.zero >= level else 1 for level in (3, 2, 1)]
        sizes = (WEIGHT, GRADIENT, self.optimizer)
        return sum(size / shard for size, shard in zip(sizes, shards, strict=True))

    def state_bytes(self, layers: Sequence[Tower], stage: int) -> float:
        """Return the bytes of all parameters' state; with zero 3 also of two gathered layers."""
        size = self.parameters(layers, stage) * self.bytes_a_parameter
        if self.zero == 3:
            size += 2 * WEIGHT * max(t.weights for t in layers) / self.tensor
        return size

    def activation_bytes(self, layers: Sequence[Tower], mode: Mode, stage: int) -> float:
        """Return the bytes of all micro-batches that the stage has in flight."""
        in_flight = min(self.pipeline - stage, self.micro_batches)
        size = in_flight * sum(t.saved_bytes(mode, self.tensor) for t in layers)
        if mode == "full":
            size += max(t.saved_bytes("none", self.tensor) for t in layers)
        if stage == self.pipeline - 1:
            size += 4.0 * self.model.last.tokens * self.model.vocabulary / self.tensor
        return self.micro_batch * size

    # --- seconds ---

    def link(self, group: Group) -> Network:
        """Return the network that connects the members of a group."""
        ranks, stride = {
            "tensor": (self.tensor, 1),
            "data": (self.data, self.tensor),
            "pipeline": (self.pipeline, self.tensor * self.data),
        }[group]
        if stride * ranks > self.cluster.node:
            return self.cluster.slow
        fast = self.cluster.fast
        return Network(fast.bandwidth * self.cluster.links[group], fast.latency)

    def ring_s(self, group: Group, size: float, parts: float = 1) -> float:
        """Return the seconds to gather or scatter `size` bytes, in `parts` parts."""
        ranks = self.tensor if group == "tensor" else self.data
        link = self.link(group)
        return (ranks - 1) * (parts * link.latency + size / (ranks * link.bandwidth))

    def layer_s(self, layer: Tower, mode: Mode) -> float:
        """Return the seconds of one layer's computation and its tensor group's messages."""
        flops = 3 * layer.forward_flops
        flops += {"none": 0.0, "selective": layer.scores_flops, "full": layer.forward_flops}[mode]
        messages = 12 if mode == "full" else 8
        computing = self.micro_batch * flops / (self.tensor * self.cluster.flops)
        return computing + messages * self.ring_s("tensor", self.micro_batch * layer.output_bytes)

    def output_s(self) -> float:
        """Return the seconds of the product with the vocabulary in the last stage."""
        flops = 6.0 * self.model.last.tokens * self.model.embedding
        return self.micro_batch * flops / (self.tensor * self.cluster.flops)

    def own_s(self, layers: Sequence[Tower], mode: Mode, stage: int) -> float:
        """Return the seconds of a stage's computation and tensor messages, for one micro-batch."""
        last = self.output_s() if stage == self.pipeline - 1 else 0.0
        return sum(self.layer_s(t, mode) for t in layers) + last

    def data_s(self, layers: Sequence[Tower], stage: int) -> float:
        """Return the seconds of the data group's messages for each micro-batch, layer by layer."""
        one = self.ring_s("data", WEIGHT * self.parameters(layers, stage), len(layers))
        return one * {3: 3, 2: 1}.get(self.zero, 0)

    def once_s(self, layers: Sequence[Tower], stage: int) -> float:
        """Return the seconds of the data group's messages once per step."""
        one = self.ring_s("data", WEIGHT * self.parameters(layers, stage))
        return one * {0: 2, 1: 2, 2: 1}.get(self.zero, 0)

    def sends_s(self, stage: int) -> float:
        """Return the seconds to send an output forward and a gradient back, all of one shape."""
        link = self.link("pipeline")
        size = self.micro_batch * max(t.output_bytes for t in self.model.towers)
        neighbors = (stage > 0) + (stage < self.pipeline - 1)
        return neighbors * (link.latency + size / (self.tensor * link.bandwidth))

    def work_s(self, layers: Sequence[Tower], mode: Mode, stage: int) -> float:
        """Return a stage's seconds for one micro-batch."""
        busy = max(self.own_s(layers, mode, stage), self.data_s(layers, stage))
        return busy + self.sends_s(stage)

    def step_s(self, work_s: float, once_s: float) -> float:
        """Return the step's seconds.

        The last micro-batch overlaps with the messages sent once per step.
        """
        return (self.micro_batches + self.pipeline - 2) * work_s + max(work_s, once_s)

    def bytes(self, layers: Sequence[Tower], mode: Mode, stage: int) -> float:
        """Return the bytes of state and activations on a device of the stage."""
        return self.state_bytes(layers, stage) + self.activation_bytes(layers, mode, stage)


def estimate(case: TrainingCase, plan: Plan) -> Estimate:
    """Return the cost of a valid plan."""
    price, layers = Prices(case, plan.way), case.model.layers
    ends = [sum(plan.stages[: n + 1]) for n in range(plan.way.pipeline)]
    parts = [layers[end - size : end] for end, size in zip(ends, plan.stages, strict=True)]
    state = tuple(price.state_bytes(part, n) for n, part in enumerate(parts))
    stages = list(enumerate(zip(parts, plan.recompute, strict=True)))
    activations = tuple(price.activation_bytes(part, mode, n) for n, (part, mode) in stages)
    work = tuple(price.work_s(part, mode, n) for n, (part, mode) in stages)
    once = max(price.once_s(part, n) for n, part in enumerate(parts))
    step = price.step_s(max(work), once)
    most = max(s + a for s, a in zip(state, activations, strict=True))
    return Estimate(state, activations, work, step, most <= case.cluster.memory_bytes)


def plan_from(document: dict[str, Any]) -> Plan | None:
    """Return a plan from plain data, or None if its form is wrong."""
    numbers = [document.get(key) for key in ("tensor", "pipeline", "data", "micro_batch", "zero")]
    stages, modes = document.get("stages"), document.get("recompute")
    if not all(_is_count(number) for number in numbers[:4]) or numbers[4] not in (0, 1, 2, 3):
        return None
    if isinstance(document["zero"], bool):
        return None
    if not isinstance(stages, list) or not isinstance(modes, list):
        return None
    layers, named = cast("list[object]", stages), cast("list[object]", modes)
    if not all(_is_count(size) for size in layers) or not all(mode in MODES for mode in named):
        return None
    return Plan(
        Way(*cast("list[int]", numbers)),
        tuple(cast("list[int]", layers)),
        tuple(cast("list[Mode]", named)),
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 10**9
