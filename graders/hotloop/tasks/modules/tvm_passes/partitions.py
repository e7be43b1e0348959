"""Check partitions of random graphs for the accelerator mac16.

A program that runs nothing reports the candidate's module as plain data. From that data this file
checks what the accelerator supports, what fits into its memory, what everything costs, and whether
the partition computes the graph: as expressions, so that it holds for all inputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.check import check
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.constants import constant
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading
from hotloop.judge.written_files import Assignment, file_written
from hotloop.tasks.modules.tvm_passes import mac16, planning, wiring
from hotloop.tasks.modules.tvm_passes.given_files import ours
from hotloop.tasks.modules.tvm_passes.graphs import Graph, every_motif
from hotloop.tasks.modules.tvm_passes.planning import Region, Unit

AGAIN_GRAPHS = 4
WORTH_A_REGION = 0.95
"""A region is required if our own partition costs less than this share of the host alone."""

LEAST_SAVED, LEAST_ANYWHERE = 0.93, 0.8
"""Required share of our own partitions' saving over the host alone: on average; on each graph."""
BUILDING = Program(ours("bare_tvm.py", "graph_building.py"), "graph_building.py")
READING = Program(ours("bare_tvm.py", "partition_reading.py"), "partition_reading.py")


# --- checks ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartitionedGraph:
    """A graph and the candidate's partition of it."""

    graph: Graph
    module: bytes
    partition: Partition


def structure(session: Session) -> Iterator[Assertion]:
    """Check signature, regions, composite functions and operators of each partition."""
    return _looks(_graphs(session), _unsound, session)


def meaning(session: Session) -> Iterator[Assertion]:
    """Check which expression each value computes."""
    return _looks(_graphs(session), _miswired, session)


def repetition(session: Session) -> Iterator[Assertion]:
    """Check that partitioning a partitioned module again changes nothing."""
    return _looks(graphs_to_repeat(_graphs(session)), _changed, session)


def graphs_to_repeat(graphs: Iterable[Graph]) -> list[Graph]:
    """Return AGAIN_GRAPHS graphs, those with several regions first.

    A pass that finds only one region at a time changes those when it runs again.
    """
    return sorted(graphs, key=lambda graph: planning.region_count(graph) < 2)[:AGAIN_GRAPHS]


def _looks(
    graphs: Iterable[Graph],
    mismatch: Callable[[PartitionedGraph, Session], str | None],
    session: Session,
) -> Iterator[Assertion]:
    for graph in graphs:
        yield Assertion(
            graph.label, lambda graph=graph: mismatch(_partitioned_graph(graph, session), session)
        )


@check(after=("correct",))
def cheap(session: Session) -> str:
    """Compare costs in µs, by the table, with our own partitions: the mean saving and the least.

    Returns the message for the learner; raises Ruling if a saving is below LEAST_SAVED or
    LEAST_ANYWHERE.
    """
    bills = [Bill.of(_partitioned_graph(graph, session)) for graph in _graphs(session)]
    saved = sum(bill.saved for bill in bills) / len(bills)
    session.note(
        cost_us=sum(bill.cost_us for bill in bills),
        our_cost_us=sum(bill.our_us for bill in bills),
        host_cost_us=sum(bill.host_us for bill in bills),
        saved=saved,
    )
    sentence = f"It saves {100 * saved:.0f} % of what our own partitions save"
    worst = min(bills, key=lambda bill: bill.saved)
    if saved >= LEAST_SAVED and worst.saved >= LEAST_ANYWHERE:
        return f"{sentence}."
    raise Ruling(
        Verdict.WRONG_ANSWER,
        f"{sentence}; {100 * LEAST_SAVED:.0f} % are required, and {100 * LEAST_ANYWHERE:.0f} % on "
        f"each graph. It saves least on {worst.sentence()}.",
    )


@dataclass(frozen=True)
class Bill:
    """A graph's cost by the table: with the candidate's partition, with ours, on the host alone."""

    label: str
    cost_us: float
    our_us: float
    host_us: float

    @classmethod
    def of(cls, partitioned: PartitionedGraph) -> Bill:
        """Compute the costs. The partition must be sound."""
        graph = partitioned.graph
        ours, host = planning.best_us(graph), planning.host_us(graph)
        return cls(graph.label, partitioned.partition.cost_us, ours, host)

    @property
    def saved(self) -> float:
        """The candidate's saving over the host as a share of ours, at least 0.

        Where ours saves 5 % of the host's cost or less: 2 minus the candidate's cost partitioned by
        ours.
        """
        possible = self.host_us - self.our_us
        if possible > 0.05 * self.host_us:
            return max(0.0, (self.host_us - self.cost_us) / possible)
        return max(0.0, 2.0 - self.cost_us / self.our_us)

    def sentence(self) -> str:
        """The costs in words, for the learner."""
        return (
            f"{self.label}: {self.cost_us:.0f} µs, where the host alone takes {self.host_us:.0f} "
            f"and our partition {self.our_us:.0f}"
        )


def _graphs(session: Session) -> list[Graph]:
    """Return the random graphs, the same for all checks of a session."""
    return session.once("graphs", lambda: _random_graphs(session.rng()))


def _random_graphs(rng: np.random.Generator) -> list[Graph]:
    """Draw graphs. On at least one, a region for each single operator does not save enough."""
    while True:
        graphs = every_motif(rng)
        alone = [
            Bill("", planning.alone_us(g), planning.best_us(g), planning.host_us(g)) for g in graphs
        ]
        if min(bill.saved for bill in alone) < LEAST_ANYWHERE - 0.05:
            return graphs


def _partitioned_graph(graph: Graph, session: Session) -> PartitionedGraph:
    """Return the candidate's partition of a graph; made once for all checks."""

    def make() -> PartitionedGraph:
        builder = BUILDING.trusted(session)
        module = _partition_module(builder.take(builder.ask("build", graph.text)), session)
        return PartitionedGraph(graph, module, read(module, session))

    return session.once(f"partition of {id(graph)}", make)


def _partition_module(module: bytes, session: Session) -> bytes:
    file = GivenFile("graph.json", module)
    return file_written(Assignment("a graph", (file,), "partition.json", lambda _: None), session)


# --- a partition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Partition:
    """The candidate's module as `partition_reading.described` reports it.

    graph: with calls of functions written out. refused: why the program refused the module, or
    empty.
    """

    graph: Graph
    regions: list[Region]
    refused: str = ""

    @classmethod
    def of(cls, report: dict[str, Any]) -> Partition:
        """Read the program's report."""
        if "refused" in report:
            return cls(Graph((), (), ()), [], str(report["refused"]))
        graph = Graph.of(report["graph"])
        return cls(graph, [_region(region, graph) for region in report["regions"]])

    @property
    def cost_us(self) -> float:
        """Cost in µs by the table. The partition must be sound."""
        inside = {member for region in self.regions for member in region.members}
        rest = (output for output, _ in self.graph.numbered() if output not in inside)
        away = sum(planning.region_us(self.graph, region) for region in self.regions)
        return away + planning.host_us(self.graph, rest)


def _region(report: dict[str, Any], graph: Graph) -> Region:
    return Region(
        tuple(_unit(unit, graph) for unit in report["units"]),
        tuple(report["inputs"]),
        tuple(report["outputs"]),
        {k: v for k, v in report["attributes"].items() if k != "global_symbol"},
        tuple(report["members"]),
        str(report["name"]),
    )


def _unit(report: dict[str, Any], graph: Graph) -> Unit:
    members, outputs = tuple(report["members"]), tuple(report["outputs"])
    read = (value for member in members for value in graph.operator(member).inputs)
    inputs = tuple(value for value in read if value not in members)
    return Unit(str(report["attributes"].get("Composite")), members, inputs, outputs)


def read(module: bytes, session: Session) -> Partition:
    """Return the candidate's module as plain data. Raises Ruling if it is not reported as such."""
    process = READING.given(session, "reads")
    report = as_message(process.ask("described", GivenFile("partition.json", module)))
    with reading():
        return Partition.of(report or {})


def _unsound(partitioned: PartitionedGraph, _session: Session) -> str | None:
    graph, partition = partitioned.graph, partitioned.partition
    if problem := unsound(partition, graph):
        return problem
    pays = planning.best_us(graph) < WORTH_A_REGION * planning.host_us(graph)
    if pays and not partition.regions:
        return "nothing of it goes to the accelerator, where a region would pay"
    return None


def unsound(partition: Partition, graph: Graph) -> str | None:
    """Return what is wrong with a partition's structure, or None."""
    if partition.refused:
        return f"the module is refused: {partition.refused}"
    flat = partition.graph
    wanted = graph.shapes(graph.outputs)
    if flat.inputs != graph.inputs or flat.shapes(flat.outputs) != wanted:
        return "'main' no longer takes and gives what it did"
    for region in partition.regions:
        if problem := _bad_region(region, flat):
            return problem
    return _other_operators(flat, graph)


def _bad_region(region: Region, graph: Graph) -> str | None:
    name, codegen = region.name, region.attributes.get("Codegen")
    if codegen != "mac16":
        return f"'main' calls {name!r}, whose Codegen is {shown(codegen)} and should be 'mac16'"
    device, got = constant("DEVICE", 0, range(2, 1000)), region.attributes.get("device")
    if device and got != str(device):
        return f"the region {name!r} has {shown(got)} as its device, and should have {device}"
    if region.loose:
        kind = graph.operator(region.loose[0]).kind
        return f"the region {name!r} does {kind} outside of a Composite function"
    if not region.units:
        return f"the region {name!r} does nothing"
    for unit in region.units:
        if problem := _bad_unit(unit, graph):
            return f"in the region {name!r}, {problem}"
    used = planning.memory_bytes(graph, region)
    if used > mac16.MEMORY_BYTES:
        return f"the region {name!r} holds {used} bytes and the accelerator {mac16.MEMORY_BYTES}"
    return None


def _bad_unit(unit: Unit, graph: Graph) -> str | None:
    if unit.name not in mac16.NAMES:
        return f"a function is Composite {shown(unit.name)}, which the accelerator does not have"
    kinds = [graph.operator(member).kind for member in unit.members]
    if not _is_a_pattern(kinds) or len(unit.outputs) != 1:
        return f"{unit.name} holds {', '.join(kinds) or 'nothing'}, which is no pattern of it"
    if kinds[0] != unit.name.removeprefix("mac16.").split("_")[0]:
        return f"{unit.name} begins with {kinds[0]}"
    for before, after in pairwise(unit.members):
        if before not in graph.operator(after).inputs:
            return f"{unit.name} does not hand on what it computes"
    if unit.outputs != unit.members[-1:]:
        return f"{unit.name} gives back another value"
    out = graph.shape(unit.outputs[0])
    reason = mac16.unsupported(unit.name, graph.shapes(unit.inputs), out)
    return f"{unit.name} is not supported: {reason}" if reason else None


def _is_a_pattern(kinds: list[str]) -> bool:
    if kinds in (["add"], ["relu"]):
        return True
    return kinds[:1] == ["matmul"] and kinds[1:] in ([], ["add"], ["relu"], ["add", "relu"])


def _other_operators(flat: Graph, graph: Graph) -> str | None:
    got, want = (Counter(operator.kind for operator in g.operators) for g in (flat, graph))
    for kind in sorted(set(got) | set(want)):
        if got[kind] > want[kind]:
            return f"it does {kind} {got[kind]} times and the graph {want[kind]} times"
        if got[kind] < want[kind]:
            return f"it does {kind} {got[kind]} times of the graph's {want[kind]}"
    return None


def _miswired(partitioned: PartitionedGraph, _session: Session) -> str | None:
    partition = partitioned.partition
    return wiring.mismatch(partition.graph, partition.regions, partitioned.graph)


def _changed(partitioned: PartitionedGraph, session: Session) -> str | None:
    again = read(_partition_module(partitioned.module, session), session)
    if problem := unsound(again, partitioned.graph):
        return f"partitioned again, {problem}"
    if partitioned.partition == again:
        return None
    return "a partitioned module changes when it is partitioned again"
