"""Check partitions of random graphs for the accelerator mac16.

A program that runs nothing reports the candidate's module as plain data. From that data this file
checks what the accelerator supports, what fits into its memory, what everything costs, and whether
the partition computes the graph. Another program runs some of the modules, the regions by the
accelerator's rules and the rest with TVM, and the outputs are compared with float64.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.artifact import Assignment, file_written
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.rung import rung
from hotloop.judge.rungs.assertions import Assertion
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.session import Session
from hotloop.tasks.modules.tvm_passes import mac16, planning, wiring
from hotloop.tasks.modules.tvm_passes.given_files import ours
from hotloop.tasks.modules.tvm_passes.graphs import Graph, every_motif
from hotloop.tasks.modules.tvm_passes.mac16 import Shape

AGAIN_GRAPHS = 4
WORTH_A_REGION = 0.95
"""A region is required if our own partition costs less than this share of the host alone."""

LEAST_SAVED, LEAST_ANYWHERE = 0.93, 0.8
"""Required share of our own partitions' saving over the host alone: on average; on each graph."""

TOLERANCE = Tolerance(relative=1e-4, absolute=1e-3)
"""Values are sums of up to 512 products of order 1, through some layers; float32 is off by 1e-5 of
them. One relu, bias or operand too many or too few changes them by as much as they are.
"""


BUILDING = Program(ours("bare_tvm.py", "graph_building.py"), "graph_building.py")
READING = Program(ours("bare_tvm.py", "partition_reading.py"), "partition_reading.py")
RUNNING = Program(
    ours("bare_tvm.py", "graph_building.py", "partition_running.py"),
    "partition_running.py",
    environment=(("TVM_NUM_THREADS", "1"),),
)


# --- rungs ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Divided:
    """A graph and the candidate's partition of it."""

    graph: Graph
    module: bytes
    partition: Partition


def structure(session: Session) -> Iterator[Assertion]:
    """Check signature, regions, composite functions and operators of each partition."""
    return _looks(_graphs(session), _unsound, session)


def meaning(session: Session) -> Iterator[Assertion]:
    """Check which expression each value computes, in all graphs, and the numbers in some."""
    yield from _looks(_graphs(session), _miswired, session)
    everything = [_divided(graph, session) for graph in _graphs(session)]
    chosen = [divided.graph for divided in _some_of_each(everything)]
    yield from _looks(chosen, _wrong, session)


def repetition(session: Session) -> Iterator[Assertion]:
    """Check that partitioning a partitioned module again changes nothing."""
    return _looks(worth_another_look(_graphs(session)), _changed, session)


def worth_another_look(graphs: Iterable[Graph]) -> list[Graph]:
    """Return AGAIN_GRAPHS graphs, those with several regions first.

    A pass that finds only one region at a time changes those when it runs again.
    """
    return sorted(graphs, key=lambda graph: planning.region_count(graph) < 2)[:AGAIN_GRAPHS]


def _looks(
    graphs: Iterable[Graph],
    mismatch: Callable[[Divided, Session], str | None],
    session: Session,
) -> Iterator[Assertion]:
    for graph in graphs:

        def found(graph: Graph = graph) -> str | None:
            return mismatch(_divided(graph, session), session)

        yield Assertion(graph.label, found)


def _some_of_each(divided: list[Divided]) -> list[Divided]:
    """Choose few partitions (greedily) that together have every kind of composite function."""
    left = {kind for one in divided for kind in one.partition.kinds_of_units}
    chosen: list[Divided] = []
    while left:
        best = max(divided, key=lambda one: len(one.partition.kinds_of_units & left))
        left -= best.partition.kinds_of_units
        chosen.append(best)
    return chosen or divided[:1]


@rung(after=("correct",))
def cheap(session: Session) -> str:
    """Compare costs in µs, by the table, with our own partitions: the mean saving and the least.

    Returns the message for the learner; raises Ruling if a saving is below LEAST_SAVED or
    LEAST_ANYWHERE.
    """
    bills = [Bill.of(_divided(graph, session)) for graph in _graphs(session)]
    saved = sum(bill.saved for bill in bills) / len(bills)
    session.note(
        cost_us=sum(bill.cost_us for bill in bills),
        our_cost_us=sum(bill.our_us for bill in bills),
        host_cost_us=sum(bill.host_us for bill in bills),
        saved=saved,
    )
    said = f"It saves {100 * saved:.0f} % of what our own partitions save"
    worst = min(bills, key=lambda bill: bill.saved)
    if saved >= LEAST_SAVED and worst.saved >= LEAST_ANYWHERE:
        return f"{said}."
    least = (
        f"{100 * LEAST_SAVED:.0f} % are required, and {100 * LEAST_ANYWHERE:.0f} % on each graph"
    )
    said = f"{said}; {least}. It saves least on {worst.sentence()}."
    raise Ruling(Verdict.WRONG_ANSWER, said)


@dataclass(frozen=True)
class Bill:
    """A graph's cost by the table: with the candidate's partition, with ours, on the host alone."""

    label: str
    cost_us: float
    our_us: float
    host_us: float

    @classmethod
    def of(cls, divided: Divided) -> Bill:
        """Compute the costs. The partition must be sound."""
        graph = divided.graph
        ours, host = planning.best_us(graph), planning.host_us(graph)
        return cls(graph.label, divided.partition.cost_us, ours, host)

    @property
    def saved(self) -> float:
        """The candidate's saving over the host as a share of ours, at least 0.

        Where ours saves 5 % of the host's cost or less: 2 minus the candidate's cost divided by
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


def _divided(graph: Graph, session: Session) -> Divided:
    """Return the candidate's partition of a graph; made once for all checks."""

    def make() -> Divided:
        builder = BUILDING.trusted(session)
        module = _partitioned(builder.take(builder.ask("build", graph.text)), session)
        return Divided(graph, module, read(module, session))

    return session.once(f"partition of {id(graph)}", make)


def _partitioned(module: bytes, session: Session) -> bytes:
    given = (GivenFile("graph.json", module),)
    return file_written(Assignment("a graph", given, "partition.json", lambda _: None), session)


# --- a partition ----------------------------------------------------------------------------------

Step = dict[str, Any]
Function = dict[str, Any]


@dataclass(frozen=True)
class Partition:
    """The candidate's module as `partition_reading.described` reports it.

    refused: why the program refused the module, or empty.
    """

    functions: dict[str, Function]
    refused: str = ""

    @property
    def main(self) -> Function:
        """The function that runs on the host."""
        return self.functions["main"]

    def callee(self, step: Step) -> str:
        """Return the name of the function that a step calls; empty if the step is an operator."""
        does = str(step["does"])
        return does[1:] if does.startswith("@") else ""

    @cached_property
    def kinds_of_units(self) -> frozenset[tuple[str, ...]]:
        """For each composite function that regions call: its name, then its operators."""
        regions = [self.functions[self.callee(s)] for s in self.main["steps"] if self.callee(s)]
        units = [self.functions[self.callee(step)] for r in regions for step in r["steps"]]
        return frozenset(
            (unit["attributes"]["Composite"], *map(_kind, unit["steps"])) for unit in units
        )

    @cached_property
    def cost_us(self) -> float:
        """Cost in µs by the table. The partition must be sound."""
        return sum(self._step_us(step) for step in self.main["steps"])

    def _step_us(self, step: Step) -> float:
        called = self.callee(step)
        if called:
            return self._region_us(self.functions[called])
        inputs, out = _shapes(self.main, step["in"]), _shapes(self.main, step["out"])[0]
        return mac16.host_us(_kind(step), inputs, out)

    def _region_us(self, region: Function) -> float:
        units = [
            (
                self.functions[self.callee(step)]["attributes"]["Composite"],
                _shapes(region, step["in"]),
                _shapes(region, step["out"])[0],
            )
            for step in region["steps"]
        ]
        return planning.region_us(units, _shapes(region, [*region["inputs"], *region["outputs"]]))

    def canonical(self, name: str = "main") -> object:
        """Return a function without names: equal for functions that differ only in names."""
        function = self.functions[name]
        order = {value: n for n, value in enumerate(function["types"])}
        steps: list[object] = []
        for step in function["steps"]:
            called = self.callee(step)
            does = self.canonical(called) if called else step["does"]
            wired = [[order[v] for v in step[side]] for side in ("in", "out")]
            steps.append([does, wired, step["axes"]])
        attributes = {k: v for k, v in function["attributes"].items() if k != "global_symbol"}
        return [attributes, list(function["types"].values()), steps, function["outputs"]]


def read(module: bytes, session: Session) -> Partition:
    """Return the candidate's module as plain data.

    Raises Ruling if the program does not answer with a dict.
    """
    process = READING.given(session, "reads")
    answer = process.ask("described", GivenFile("partition.json", module))
    if not isinstance(answer, dict):
        raise Ruling(Verdict.WRONG_ANSWER, "The module could not be read.")
    plain = cast(dict[str, Any], answer)
    return Partition(plain.get("functions", {}), str(plain.get("refused", "")))


def _unsound(divided: Divided, _session: Session) -> str | None:
    graph, partition = divided.graph, divided.partition
    if problem := unsound(partition, graph):
        return problem
    worth_it = planning.best_us(graph) < WORTH_A_REGION * planning.host_us(graph)
    if worth_it and not any(map(partition.callee, partition.main["steps"])):
        return "nothing of it goes to the accelerator, where a region would pay"
    return None


def unsound(partition: Partition, graph: Graph) -> str | None:
    """Return what is wrong with a partition's structure, or None."""
    if partition.refused:
        return f"the module is refused: {partition.refused}"
    if "main" not in partition.functions:
        return "the module has no function 'main'"
    if problem := _other_signature(partition.main, graph):
        return problem
    for step in partition.main["steps"]:
        called = partition.callee(step)
        if not called and len(step["out"]) != 1:
            return f"'main' does {step['does']} with {len(step['out'])} results"
        if called and (problem := _bad_region(partition, called)):
            return problem
    return _other_operators(partition, graph)


def _other_signature(main: Function, graph: Graph) -> str | None:
    inputs, outputs = _shapes(main, main["inputs"]), _shapes(main, main["outputs"])
    wanted = [graph.shape(value) for value in graph.outputs]
    if inputs != graph.inputs or outputs != wanted:
        return "'main' no longer takes and gives what it did"
    if any(ty[0] != "float32" for ty in main["types"].values()):
        return "a value of 'main' is no longer float32"
    return None


def _bad_region(partition: Partition, name: str) -> str | None:
    region = partition.functions[name]
    codegen = region["attributes"].get("Codegen")
    if codegen != "mac16":
        return f"'main' calls {name!r}, whose Codegen is {shown(codegen)} and should be 'mac16'"
    device, on = constant("DEVICE", 0, range(2, 1000)), region["attributes"].get("device")
    if device and on != str(device):
        return f"the region {name!r} has {shown(on)} as its device, and should have {device}"
    if not region["steps"]:
        return f"the region {name!r} does nothing"
    for step in region["steps"]:
        called = partition.callee(step)
        if not called:
            return f"the region {name!r} does {step['does']} outside of a Composite function"
        if len(step["out"]) != 1:
            return f"the region {name!r} has a Composite function with {len(step['out'])} results"
        if problem := _bad_unit(partition.functions[called], called):
            return f"in the region {name!r}, {problem}"
    held = sum(map(mac16.size, _shapes(region, region["types"])))
    if held > mac16.MEMORY_BYTES:
        return f"the region {name!r} holds {held} bytes and the accelerator {mac16.MEMORY_BYTES}"
    return None


def _bad_unit(unit: Function, name: str) -> str | None:
    composite = str(unit["attributes"].get("Composite"))
    if composite not in mac16.NAMES:
        return f"{name!r} is Composite {shown(composite)}, which the accelerator does not have"
    if any(len(step["out"]) != 1 for step in unit["steps"]):
        return f"{composite} holds an operator with another number of results than one"
    kinds = [_kind(step) for step in unit["steps"]]
    if not _is_a_pattern(kinds) or len(unit["outputs"]) != 1:
        return f"{composite} holds {', '.join(kinds) or 'nothing'}, which is no pattern of it"
    if kinds[0] != composite.removeprefix("mac16.").split("_")[0]:
        return f"{composite} begins with {kinds[0]}"
    if problem := _loose(unit):
        return f"{composite} {problem}"
    reason = mac16.unsupported(composite, _operands(unit), _shapes(unit, unit["outputs"])[0])
    return f"{composite} is not supported: {reason}" if reason else None


def _is_a_pattern(kinds: list[str]) -> bool:
    if kinds in (["add"], ["relu"]):
        return True
    return kinds[:1] == ["matmul"] and kinds[1:] in ([], ["add"], ["relu"], ["add", "relu"])


def _loose(unit: Function) -> str | None:
    """Return None if each step takes the previous step's result and the last step is the output."""
    steps = unit["steps"]
    for before, after in pairwise(steps):
        if before["out"][0] not in after["in"]:
            return "does not hand on what it computes"
    return None if unit["outputs"] == steps[-1]["out"] else "gives back another value"


def _operands(unit: Function) -> list[Shape]:
    """Return the shapes that the unit's operators take from outside: x, w, bias, in that order."""
    outside = set(unit["inputs"])
    return _shapes(unit, [v for step in unit["steps"] for v in step["in"] if v in outside])


def _other_operators(partition: Partition, graph: Graph) -> str | None:
    got = Counter(_all_kinds(partition, "main"))
    want = Counter(operator.kind for operator in graph.operators)
    for kind in sorted(set(got) | set(want)):
        if got[kind] > want[kind]:
            return f"it does {kind} {got[kind]} times and the graph {want[kind]} times"
        if got[kind] < want[kind]:
            return f"it does {kind} {got[kind]} times of the graph's {want[kind]}"
    return None


def _all_kinds(partition: Partition, name: str) -> Iterator[str]:
    for step in partition.functions[name]["steps"]:
        called = partition.callee(step)
        if called:
            yield from _all_kinds(partition, called)
        else:
            yield _kind(step)


def _changed(divided: Divided, session: Session) -> str | None:
    again = read(_partitioned(divided.module, session), session)
    if problem := unsound(again, divided.graph):
        return f"partitioned again, {problem}"
    if divided.partition.canonical() == again.canonical():
        return None
    return "a partitioned module changes when it is partitioned again"


def _kind(step: Step) -> str:
    return str(step["does"]).removeprefix("relax.").removeprefix("nn.")


def _shapes(function: Function, values: Any) -> list[Shape]:
    return [tuple(function["types"][value][1:]) for value in values]


# --- what it computes -----------------------------------------------------------------------------


def _miswired(divided: Divided, _session: Session) -> str | None:
    return wiring.mismatch(divided.partition.functions, divided.graph)


def _wrong(divided: Divided, session: Session) -> str | None:
    graph, rng = divided.graph, session.rng()
    plan = json.dumps({"functions": divided.partition.functions}).encode()
    runner = RUNNING.given(session, "runs")
    runner.ask("load", GivenFile("plan.json", plan))
    inputs = [rng.standard_normal(shape) * _scale(shape) for shape in graph.inputs]
    flat = Tensor(np.concatenate([values.ravel() for values in inputs]), FP32)
    count = sum(int(np.prod(graph.shape(value))) for value in graph.outputs)
    case = Case(graph.label, (flat,), TensorSpec((count,), FP32))
    got = runner.answer("run", case, timeout_s=30.0, framework="numpy")
    wrong = compare(got, graph.truth(_split(flat.rounded(), graph)), TOLERANCE)
    return None if wrong is None else f"of its outputs, laid flat, {wrong.sentence()}"


def _scale(shape: Shape) -> float:
    """Scale weights by 1/√K so that products keep their magnitude; 1-D tensors stay of order 1."""
    return 1.0 if len(shape) < 2 else shape[0] ** -0.5


def _split(flat: Any, graph: Graph) -> list[Any]:
    parts: list[Any] = []
    start = 0
    for shape in graph.inputs:
        count = int(np.prod(shape))
        parts.append(flat[start : start + count].reshape(shape))
        start += count
    return parts
