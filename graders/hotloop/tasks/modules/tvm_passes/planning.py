"""Regions of a graph for mac16: what they cost, and our own partition as the reference.

Units follow the accelerator's patterns: a matmul, with a bias add and a relu if each is the only
consumer of the preceding result. Regions then grow while merging lowers the cost, the memory
suffices, and no two regions wait for each other. A region stays on the host where that is cheaper.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

from hotloop.judge.graphs.graph import in_order
from hotloop.tasks.modules.tvm_passes import mac16
from hotloop.tasks.modules.tvm_passes.graphs import Graph


@dataclass(frozen=True)
class Unit:
    """One composite function.

    members: its operators' outputs, in order. inputs: x, w and bias. outputs: one, if it is sound.
    """

    name: str
    members: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Region:
    """Units that are called together. attributes, loose: of a candidate's function.

    inputs, outputs: what enters and leaves it. loose: operators of it that are in no unit.
    """

    units: tuple[Unit, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    loose: tuple[int, ...] = ()
    name: str = field(default="", compare=False)

    @property
    def members(self) -> list[int]:
        """The outputs of its units' operators."""
        return [member for unit in self.units for member in unit.members]


def host_us(graph: Graph, values: Iterable[int] | None = None) -> float:
    """Return the cost in µs of the operators with these outputs, by default all, on the host."""
    numbers = (output for output, _ in graph.numbered()) if values is None else values
    operators = map(graph.operator, numbers)
    return sum(mac16.host_us(o.kind, graph.shapes(o.inputs), o.shape) for o in operators)


def region_us(graph: Graph, region: Region) -> float:
    """Return a region's cost in µs on the accelerator."""
    work = sum(
        mac16.unit_us(unit.name, graph.shapes(unit.inputs), graph.shape(unit.outputs[0]))
        for unit in region.units
    )
    moved = graph.shapes((*region.inputs, *region.outputs))
    return mac16.LAUNCH_US + work + sum(map(mac16.transfer_us, moved))


def memory_bytes(graph: Graph, region: Region) -> int:
    """Return the bytes of a region's inputs and its units' outputs, each counted once."""
    values = {*region.inputs, *(value for unit in region.units for value in unit.outputs)}
    return sum(map(mac16.size, graph.shapes(values)))


def best_us(graph: Graph) -> float:
    """Return the cost in µs of our own partition of the graph."""
    return _Plan(graph).cost_us()


def alone_us(graph: Graph) -> float:
    """Return the cost in µs of our own partition if no bias and no relu is fused with a matmul."""
    return _Plan(graph, fused=False).cost_us()


def region_count(graph: Graph) -> int:
    """Return how many regions our own partition puts on the accelerator."""
    regions = _Plan(graph).grown()
    return sum(region_us(graph, region) < host_us(graph, region.members) for region in regions)


@dataclass(frozen=True)
class _Plan:
    """Regions of a graph, merged greedily. fused: whether units include bias and relu."""

    graph: Graph
    fused: bool = True

    def cost_us(self) -> float:
        """Return the total cost in µs; each region stays on the host if that is cheaper."""
        regions = self.grown()
        inside = {member for region in regions for member in region.members}
        rest = (output for output, _ in self.graph.numbered() if output not in inside)
        return host_us(self.graph, rest) + sum(map(self._worth, regions))

    # --- units ---

    def _units(self) -> list[Unit]:
        taken: set[int] = set()
        units: list[Unit] = []
        for kinds in ({"matmul"}, {"add", "relu"}):
            for output, operator in self.graph.numbered():
                if operator.kind not in kinds or output in taken:
                    continue
                unit = Unit(f"mac16.{operator.kind}", (output,), operator.inputs, (output,))
                if operator.kind == "matmul":
                    unit = self._from_matmul(output)
                if self._fits(unit):
                    units.append(unit)
                    taken.update(unit.members)
        return units

    def _only_user(self, value: int, kind: str) -> int | None:
        users = self.graph.users.get(value, [])
        if not self.fused or len(users) != 1 or self.graph.operator(users[0]).kind != kind:
            return None
        return users[0]

    def _from_matmul(self, value: int) -> Unit:
        members, inputs, name = [value], self.graph.operator(value).inputs, "mac16.matmul"
        bias = self._only_user(value, "add")
        if bias is not None:
            others = [v for v in self.graph.operator(bias).inputs if v != value]
            if others and self.graph.shape(others[0]) == self.graph.shape(value)[-1:]:
                members.append(bias)
                inputs, name = (*inputs, others[0]), name + "_bias"
        relu = self._only_user(members[-1], "relu")
        if relu is not None:
            members.append(relu)
            name += "_relu"
        return Unit(name, tuple(members), inputs, (members[-1],))

    def _fits(self, unit: Unit) -> bool:
        inputs, out = self.graph.shapes(unit.inputs), self.graph.shape(unit.outputs[0])
        if mac16.unsupported(unit.name, inputs, out) is not None:
            return False
        return memory_bytes(self.graph, self._region(unit)) <= mac16.MEMORY_BYTES

    # --- regions ---

    def _region(self, *units: Unit) -> Region:
        """Return the units as one region, with what it takes and what others take of it."""
        results = {unit.outputs[0] for unit in units}
        inputs = {value for unit in units for value in unit.inputs} - results
        members = {member for unit in units for member in unit.members}
        outputs = (
            value
            for value in results
            if value in self.graph.outputs or set(self.graph.users.get(value, [])) - members
        )
        return Region(units, tuple(inputs), tuple(outputs))

    def grown(self) -> list[Region]:
        """Return the units merged into regions, as long as merging lowers the cost."""
        regions = [self._region(unit) for unit in self._units()]
        while (merge := self._best_merge(regions)) is not None:
            pair, whole = merge
            regions = [r for r in regions if r not in pair] + [whole]
        return regions

    def _best_merge(self, regions: list[Region]) -> tuple[tuple[Region, Region], Region] | None:
        """Return the two regions that gain most by merging, and the merged one; None if none do."""
        best, most = None, 1e-9
        for one, other in combinations(regions, 2):
            whole = self._region(*one.units, *other.units)
            gain = self._worth(one) + self._worth(other) - self._worth(whole)
            if gain > most and self._may_merge(one, other, whole, regions):
                best, most = ((one, other), whole), gain
        return best

    def _may_merge(self, one: Region, other: Region, whole: Region, regions: list[Region]) -> bool:
        touching = set(one.inputs) & set(other.outputs) or set(other.inputs) & set(one.outputs)
        if not touching or memory_bytes(self.graph, whole) > mac16.MEMORY_BYTES:
            return False
        return self._is_acyclic([r for r in regions if r not in (one, other)] + [whole])

    def _is_acyclic(self, regions: list[Region]) -> bool:
        owner = {member: n for n, region in enumerate(regions) for member in region.members}
        waits: dict[int, set[int]] = {}
        for output, operator in self.graph.numbered():
            mine = owner.get(output, -output)
            needs = {owner.get(v, -v) for v in operator.inputs if v >= len(self.graph.inputs)}
            waits.setdefault(mine, set()).update(needs - {mine})
        return in_order(waits) is not None

    def _worth(self, region: Region) -> float:
        """Return the lower of the two costs in µs, on the accelerator and on the host."""
        return min(region_us(self.graph, region), host_us(self.graph, region.members))
