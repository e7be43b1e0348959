"""Our own partition, as the reference: which operators go to mac16, in which regions.

Units follow the accelerator's patterns: a matmul, with a bias add and a relu if each is the only
consumer of the preceding result. Regions then grow while merging lowers the cost, the memory
suffices, and no two regions wait for each other. A region stays on the host where that is cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from hotloop.tasks.modules.tvm_passes import mac16
from hotloop.tasks.modules.tvm_passes.graphs import Graph, Operator
from hotloop.tasks.modules.tvm_passes.mac16 import Shape


@dataclass(frozen=True)
class Unit:
    """One composite function.

    members: numbers of its operators' values. inputs: of x, w and bias.
    """

    name: str
    members: frozenset[int]
    inputs: tuple[int, ...]
    output: int


Region = frozenset[Unit]


def best_us(graph: Graph) -> float:
    """Return the cost in µs of our own partition of the graph."""
    return _Plan(graph).cost_us()


def alone_us(graph: Graph) -> float:
    """Return the cost in µs of our own partition if no bias and no relu is fused with a matmul."""
    return _Plan(graph, fused=False).cost_us()


def region_count(graph: Graph) -> int:
    """Return how many regions our own partition puts on the accelerator."""
    plan = _Plan(graph)
    return sum(plan.is_sent(region) for region in plan.grown())


def host_us(graph: Graph) -> float:
    """Return the cost in µs with everything on the host."""
    return sum(_on_host(graph, operator) for operator in graph.operators)


def _on_host(graph: Graph, operator: Operator) -> float:
    inputs = [graph.shape(value) for value in operator.inputs]
    return mac16.host_us(operator.kind, inputs, operator.shape)


def region_us(units: list[tuple[str, list[Shape], Shape]], moved: list[Shape]) -> float:
    """Return a region's cost in µs. units: each function's name, input shapes and output shape.

    moved: shapes of the tensors that enter or leave the region.
    """
    work = sum(mac16.unit_us(name, inputs, out) for name, inputs, out in units)
    return mac16.LAUNCH_US + work + sum(map(mac16.transfer_us, moved))


class _Plan:
    """Regions of a graph, merged greedily. fused: whether units include bias and relu."""

    def __init__(self, graph: Graph, *, fused: bool = True) -> None:
        self.graph = graph
        self.fused = fused
        self.first = len(graph.inputs)
        self.users: dict[int, list[int]] = {}
        for number, operator in enumerate(graph.operators, self.first):
            for value in operator.inputs:
                self.users.setdefault(value, []).append(number)
        self.units = self._units()

    def cost_us(self) -> float:
        """Return the total cost in µs; each region stays on the host if that is cheaper."""
        regions = self.grown()
        inside = frozenset(m for region in regions for unit in region for m in unit.members)
        left = sum(
            _on_host(self.graph, operator)
            for number, operator in enumerate(self.graph.operators, self.first)
            if number not in inside
        )
        return left + sum(map(self._worth, regions))

    # --- units ---

    def _units(self) -> list[Unit]:
        taken: set[int] = set()
        units: list[Unit] = []
        for kinds in ({"matmul"}, {"add", "relu"}):
            for number, operator in enumerate(self.graph.operators, self.first):
                if operator.kind not in kinds or number in taken:
                    continue
                unit = self._from_matmul(number) if "matmul" in kinds else self._alone(number)
                if self._fits(unit):
                    units.append(unit)
                    taken |= unit.members
        return units

    def _operator(self, number: int) -> Operator:
        return self.graph.operators[number - self.first]

    def _only_user(self, number: int, kind: str) -> int | None:
        users = self.users.get(number, [])
        if not self.fused or len(users) != 1 or self._operator(users[0]).kind != kind:
            return None
        return users[0]

    def _from_matmul(self, number: int) -> Unit:
        members, inputs, parts = [number], list(self._operator(number).inputs), ["mac16.matmul"]
        bias = self._only_user(number, "add")
        if bias is not None:
            others = [value for value in self._operator(bias).inputs if value != number]
            columns = self._operator(number).shape[-1:]
            if others and self.graph.shape(others[0]) == columns:
                members.append(bias)
                inputs.append(others[0])
                parts.append("bias")
        relu = self._only_user(members[-1], "relu")
        if relu is not None:
            members.append(relu)
            parts.append("relu")
        return Unit("_".join(parts), frozenset(members), tuple(inputs), members[-1])

    def _alone(self, number: int) -> Unit:
        operator = self._operator(number)
        return Unit(f"mac16.{operator.kind}", frozenset([number]), operator.inputs, number)

    def _fits(self, unit: Unit) -> bool:
        inputs = [self.graph.shape(value) for value in unit.inputs]
        reason = mac16.unsupported(unit.name, inputs, self.graph.shape(unit.output))
        return reason is None and self._memory(frozenset([unit])) <= mac16.MEMORY_BYTES

    # --- regions ---

    def grown(self) -> list[Region]:
        """Return the units merged into regions, as long as merging lowers the cost."""
        regions = [frozenset([unit]) for unit in self.units]
        while merged := self._best_merge(regions):
            first, second = merged
            regions = [r for r in regions if r not in merged] + [first | second]
        return regions

    def _best_merge(self, regions: list[Region]) -> tuple[Region, Region] | None:
        def gain(pair: tuple[Region, Region]) -> float:
            one, other = pair
            return self._worth(one) + self._worth(other) - self._worth(one | other)

        possible = [pair for pair in combinations(regions, 2) if self._may_merge(pair, regions)]
        best = max(possible, key=gain, default=None)
        return best if best is not None and gain(best) > 1e-9 else None

    def _may_merge(self, pair: tuple[Region, Region], regions: list[Region]) -> bool:
        one, other = pair
        touching = self._inputs(one) & self._values(other) or self._inputs(other) & self._values(
            one
        )
        if not touching or self._memory(one | other) > mac16.MEMORY_BYTES:
            return False
        return self._is_acyclic([r for r in regions if r not in pair] + [one | other])

    def _is_acyclic(self, regions: list[Region]) -> bool:
        owner = {m: n for n, region in enumerate(regions) for unit in region for m in unit.members}
        waits: dict[int, set[int]] = {}
        for number, operator in enumerate(self.graph.operators, self.first):
            mine = owner.get(number, -number)
            needs = {owner.get(v, -v) for v in operator.inputs if v >= self.first}
            waits.setdefault(mine, set()).update(needs - {mine})
        while ready := [node for node, needs in waits.items() if not needs]:
            for node in ready:
                del waits[node]
            for needs in waits.values():
                needs.difference_update(ready)
        return not waits

    def _values(self, region: Region) -> set[int]:
        return {unit.output for unit in region}

    def _inputs(self, region: Region) -> set[int]:
        return {value for unit in region for value in unit.inputs} - self._values(region)

    def _outputs(self, region: Region) -> set[int]:
        members = {m for unit in region for m in unit.members}
        outputs = set(self.graph.outputs)
        return {
            value
            for value in self._values(region)
            if value in outputs or set(self.users.get(value, [])) - members
        }

    def _memory(self, region: Region) -> int:
        held = self._inputs(region) | self._values(region)
        return sum(mac16.size(self.graph.shape(value)) for value in held)

    def is_sent(self, region: Region) -> bool:
        """Whether the region is cheaper on the accelerator than on the host."""
        return self._away_us(region) < self._here_us(region)

    def _worth(self, region: Region) -> float:
        """Return the lower of the two costs in µs, on the accelerator and on the host."""
        return min(self._away_us(region), self._here_us(region))

    def _away_us(self, region: Region) -> float:
        shape = self.graph.shape
        units = [(u.name, [shape(v) for v in u.inputs], shape(u.output)) for u in region]
        moved = [shape(v) for v in [*self._inputs(region), *self._outputs(region)]]
        return region_us(units, moved)

    def _here_us(self, region: Region) -> float:
        members = [m for unit in region for m in unit.members]
        return sum(_on_host(self.graph, self._operator(m)) for m in members)
