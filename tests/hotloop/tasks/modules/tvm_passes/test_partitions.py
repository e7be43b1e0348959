"""The accelerator's rules, the graphs, and the reference's partition of them."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core import extras, paths
from hotloop.judge.constants import constants
from hotloop.judge.session import Session
from hotloop.tasks.modules.tvm_passes import mac16, partitions, planning, wiring
from hotloop.tasks.modules.tvm_passes.graphs import MOTIFS, Graph, Operator, every_motif

needs_tvm = pytest.mark.skipif(bool(extras.missing("tvm")), reason=extras.remedy("tvm"))


@pytest.fixture
def learners_table(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    """The learner's `mac16.py`."""
    return load_file(paths.exercises() / "tvm_passes" / "mac16.py")


def layer(rows: int = 32, k: int = 64, columns: int = 64) -> Graph:
    """One matmul with bias and relu."""
    shape = (rows, columns)
    operators = [
        Operator("matmul", (0, 1), shape),
        Operator("add", (3, 2), shape),
        Operator("relu", (4,), shape),
    ]
    return Graph("a layer", [(rows, k), (k, columns), (columns,)], operators)


def plan(composite: str = "mac16.matmul_bias_relu", k: int = 64) -> dict[str, Any]:
    """Return what `partition_reading.described` reports of a layer on the accelerator."""
    x, w, b, out = ["float32", 32, k], ["float32", k, 64], ["float32", 64], ["float32", 32, 64]

    def function(attributes: dict[str, str], steps: list[Any], count: int) -> dict[str, Any]:
        types = {f"v{n}": ty for n, ty in enumerate([x, w, b, *[out] * count])}
        inputs, last = ["v0", "v1", "v2"], [f"v{2 + count}"]
        return {
            "attributes": attributes,
            "inputs": inputs,
            "steps": steps,
            "outputs": last,
            "types": types,
        }

    def step(does: str, taken: list[str], out: str) -> dict[str, Any]:
        return {"does": does, "in": taken, "out": [out], "axes": []}

    three = ["v0", "v1", "v2"]
    body = [
        step("relax.matmul", ["v0", "v1"], "v3"),
        step("relax.add", ["v3", "v2"], "v4"),
        step("relax.nn.relu", ["v4"], "v5"),
    ]
    return {
        "main": function({}, [step("@region", three, "v3")], 1),
        "region": function({"Codegen": "mac16"}, [step("@region/1", three, "v3")], 1),
        "region/1": function({"Composite": composite}, body, 3),
    }


@needs_tvm
def test_learner_and_judge_have_the_same_table(learners_table: ModuleType) -> None:
    for name in ("NAMES", "MEMORY_BYTES", "LAUNCH_US", "MOST_ROWS", "MOST_K", "MOST_COLUMNS"):
        assert getattr(learners_table, name) == getattr(mac16, name)
    inputs, out = [(16, 32), (32, 48)], (16, 48)
    for kind in ("matmul", "add", "reshape", "tanh"):
        assert learners_table.host_us(kind, inputs, out) == mac16.host_us(kind, inputs, out)
    for name in mac16.NAMES:
        assert learners_table.unit_us(name, inputs, out) == mac16.unit_us(name, inputs, out)
    assert learners_table.transfer_us(out) == mac16.transfer_us(out)


def test_the_page_says_what_the_table_says() -> None:
    page = (paths.exercises() / "tvm_passes" / "accelerator.md").read_text()
    assert f"| calling a region | {mac16.LAUNCH_US:.0f} |" in page
    assert f"M is at most {mac16.MOST_ROWS}. K is a multiple of {mac16.K_STEP}" in page
    assert f"{mac16.MEMORY_BYTES} bytes" in page
    assert mac16.transfer_us((1024,)) == 2 + 4096 / 4096
    assert mac16.host_us("matmul", [(1, 1024)], (1, 1)) == 1 + 1024 / 1024
    assert "2 + bytes / 4096" in page
    assert "1 + multiplications / 1024" in page


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ([(16, 24), (24, 16)], "K is 24"),
        ([(16, 272), (272, 16)], "K is 272"),
        ([(16, 16), (16, 80)], "N is 80"),
        ([(80, 16), (16, 16)], "M is 80"),
        ([(16, 16), (16, 16), (1, 16)], "bias"),
        ([(2, 16, 16), (16, 16)], "matrices"),
    ],
)
def test_what_the_accelerator_cannot_do(shapes: list[mac16.Shape], said: str) -> None:
    out = (*shapes[0][:-1], shapes[1][-1])
    assert said in (mac16.unsupported("mac16.matmul_bias", shapes, out) or "")


def test_the_limits_themselves_are_supported() -> None:
    shapes = [(64, 256), (256, 64), (64,)]
    assert mac16.unsupported("mac16.matmul_bias", shapes, (64, 64)) is None


def test_a_layer_is_one_unit_and_its_bill_adds_up() -> None:
    graph = layer()
    moved = sum(map(mac16.transfer_us, [(32, 64), (64, 64), (64,), (32, 64)]))
    work = mac16.unit_us("mac16.matmul_bias_relu", [(32, 64), (64, 64)], (32, 64))
    assert planning.best_us(graph) == pytest.approx(mac16.LAUNCH_US + moved + work)
    assert planning.best_us(graph) < planning.host_us(graph)
    partition = partitions.Partition(plan())
    assert partitions.unsound(partition, graph) is None
    assert partition.cost_us == pytest.approx(planning.best_us(graph))


def test_a_region_is_for_the_device_of_the_variant() -> None:
    functions = plan()
    functions["region"]["attributes"]["device"] = "37"
    partition, graph = partitions.Partition(functions), layer()
    assert partitions.unsound(partition, graph) is None
    with constants({"DEVICE": 37}):
        assert partitions.unsound(partition, graph) is None
        without = partitions.Partition(plan())
        assert "should have 37" in (partitions.unsound(without, graph) or "")
    with constants({"DEVICE": 38}):
        assert "should have 38" in (partitions.unsound(partition, graph) or "")


def test_small_work_stays_at_home() -> None:
    graph = layer(8, 16, 16)
    assert planning.best_us(graph) == planning.host_us(graph)


@pytest.mark.parametrize("seed", range(5))
def test_every_motif_is_there_and_our_partition_never_costs_more(seed: int) -> None:
    graphs = every_motif(np.random.default_rng(seed))
    assert {graph.label for graph in graphs} == set(MOTIFS)
    for graph in graphs:
        assert planning.best_us(graph) <= planning.host_us(graph) + 1e-9
    assert sum(map(planning.best_us, graphs)) < 0.8 * sum(map(planning.host_us, graphs))


@pytest.mark.parametrize("seed", range(50))
def test_what_the_accelerator_cannot_do_is_worth_a_way(seed: int) -> None:
    """Otherwise a wrong answer would keep it on the host anyway, and the mistake would not show."""
    graphs = {graph.label: graph for graph in every_motif(np.random.default_rng(seed))}
    odd = graphs["a K that is no multiple of 16"]
    assert any(_pays(odd, place) for place in _products(odd) if _shapes(odd, place)[0][1] % 16)
    row = graphs["a bias of one row"]
    biased = [
        row.operators[place].inputs[0] - len(row.inputs)
        for place, operator in enumerate(row.operators)
        if operator.kind == "add" and _shapes(row, place)[1][:-1] == (1,)
    ]
    assert any(_pays(row, place) for place in biased)


def _products(graph: Graph) -> list[int]:
    return [place for place, operator in enumerate(graph.operators) if operator.kind == "matmul"]


def _shapes(graph: Graph, place: int) -> list[mac16.Shape]:
    """Return the shapes of an operator's inputs."""
    return [graph.shape(value) for value in graph.operators[place].inputs]


def test_what_is_partitioned_again_has_a_second_region() -> None:
    for seed in range(50):
        graphs = partitions.worth_another_look(every_motif(np.random.default_rng(seed)))
        assert all(planning.region_count(graph) > 1 for graph in graphs)


def _pays(graph: Graph, place: int) -> bool:
    """Return whether a product, with a bias per column, is worth a region of its own."""
    inputs, out = _shapes(graph, place), graph.operators[place].shape
    unit = ("mac16.matmul_bias", inputs, out)
    away = planning.region_us([unit], [*inputs, out[1:], out])
    fits = sum(map(mac16.size, [*inputs, out[1:], out])) <= mac16.MEMORY_BYTES
    return fits and away < mac16.host_us("matmul", inputs, out)


def test_a_wrong_structure_is_said() -> None:
    graph = layer()
    twice = plan()
    twice["main"]["steps"] *= 2
    assert "2 times" in (partitions.unsound(partitions.Partition(twice), graph) or "")
    unnamed = plan()
    unnamed["region"]["attributes"] = {}
    assert "Codegen" in (partitions.unsound(partitions.Partition(unnamed), graph) or "")
    unknown = plan("mac16.convolution")
    assert "does not have" in (partitions.unsound(partitions.Partition(unknown), graph) or "")
    narrow = partitions.unsound(partitions.Partition(plan(k=24)), layer(k=24))
    assert "K is 24" in (narrow or "")
    large = partitions.unsound(partitions.Partition(plan(k=256)), layer(k=256))
    assert "holds" in (large or "")


def test_values_are_followed_from_the_inputs_to_the_outputs() -> None:
    graph = layer()
    assert wiring.mismatch(plan(), graph) is None
    swapped = plan()
    swapped["region/1"]["steps"][1]["in"].reverse()
    assert wiring.mismatch(swapped, graph) is None
    forgotten = wiring.mismatch(plan("mac16.matmul_bias"), graph)
    assert "output 0" in (forgotten or "")
    unbiased = wiring.mismatch(plan("mac16.matmul_relu"), graph)
    assert "computes relu" in (unbiased or "")
    smaller = plan()
    smaller["main"]["types"]["v3"] = ["float32", 1, 1]
    assert "[1, 1]" in (wiring.mismatch(smaller, graph) or "")


def test_two_weights_of_one_shape_are_distinguished() -> None:
    operators = [Operator("matmul", (0, 1), (16, 16)), Operator("matmul", (3, 2), (16, 16))]
    graph = Graph("two", [(16, 16)] * 3, operators)

    def on_host(first: str, second: str) -> dict[str, Any]:
        ty = ["float32", 16, 16]
        steps = [
            {"does": "relax.matmul", "in": ["v0", first], "out": ["v3"], "axes": []},
            {"does": "relax.matmul", "in": ["v3", second], "out": ["v4"], "axes": []},
        ]
        types = {f"v{n}": ty for n in range(5)}
        inputs = ["v0", "v1", "v2"]
        main = {"inputs": inputs, "steps": steps, "outputs": ["v4"], "types": types}
        return {"main": {**main, "attributes": {}}}

    assert wiring.mismatch(on_host("v1", "v2"), graph) is None
    assert "computes matmul" in (wiring.mismatch(on_host("v2", "v1"), graph) or "")
    assert "computes matmul" in (wiring.mismatch(on_host("v1", "v1"), graph) or "")


def test_all_graphs_of_the_generator_compute_themselves() -> None:
    for graph in every_motif(np.random.default_rng(5)):
        values = [*graph.inputs, *(operator.shape for operator in graph.operators)]
        first = len(graph.inputs)
        steps = [
            {
                "does": f"relax.{o.kind}",
                "in": [f"v{n}" for n in o.inputs],
                "out": [f"v{first + place}"],
                "axes": list(o.axes),
            }
            for place, o in enumerate(graph.operators)
        ]
        main = {
            "attributes": {},
            "inputs": [f"v{n}" for n in range(first)],
            "steps": steps,
            "outputs": [f"v{n}" for n in graph.outputs],
            "types": {f"v{n}": ["float32", *shape] for n, shape in enumerate(values)},
        }
        assert wiring.mismatch({"main": main}, graph) is None


@needs_tvm
@pytest.mark.parametrize(
    ("composite", "right"), [("mac16.matmul_bias_relu", True), ("mac16.matmul_bias", False)]
)
def test_the_accelerator_does_what_the_name_says(
    composite: str, right: bool, session_over: Any
) -> None:
    session: Session = session_over()
    graph = layer()
    divided = partitions.Divided(graph, b"", partitions.Partition(plan(composite)))
    mismatch = partitions._wrong(divided, session)
    assert (mismatch is None) is right


@needs_tvm
def test_what_is_built_is_read_again(session_over: Any) -> None:
    session: Session = session_over()
    builder = partitions.BUILDING.trusted(session)
    for graph in every_motif(np.random.default_rng(3))[:4]:
        module = builder.take(builder.ask("build", graph.text))
        partition = partitions.read(module, session)
        assert partitions.unsound(partition, graph) is None
        assert partition.cost_us == pytest.approx(planning.host_us(graph))


@needs_tvm
def test_what_is_no_module_is_refused(session_over: Any) -> None:
    session: Session = session_over()
    partition = partitions.read(b"many words", session)
    assert "no module" in partition.refused


def test_program_files_are_there() -> None:
    programs = (partitions.BUILDING, partitions.READING, partitions.RUNNING)
    assert all(isinstance(p, Path) and p.is_file() for q in programs for p in q.files.values())
