"""The accelerator's rules, the graphs, and the reference's partition of them."""

from collections.abc import Callable
from dataclasses import replace
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
from hotloop.tasks.modules.tvm_passes.partitions import Partition
from hotloop.tasks.modules.tvm_passes.planning import Region, Unit

needs_tvm = pytest.mark.skipif(bool(extras.missing("tvm")), reason=extras.remedy("tvm"))


@pytest.fixture
def learners_table(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    """The learner's `mac16.py`."""
    return load_file(paths.exercises() / "tvm_passes" / "mac16.py")


def layer(rows: int = 32, k: int = 64, columns: int = 64) -> Graph:
    """One matmul with bias and relu."""
    shape = (rows, columns)
    operators = (
        Operator("matmul", (0, 1), shape),
        Operator("add", (3, 2), shape),
        Operator("relu", (4,), shape),
    )
    return Graph(((rows, k), (k, columns), (columns,)), operators, (5,), "a layer")


def on_accelerator(
    graph: Graph, composite: str = "mac16.matmul_bias_relu", **attributes: str
) -> Partition:
    """A layer as one region with one unit."""
    unit = Unit(composite, (3, 4, 5), (0, 1, 2), (5,))
    region = Region((unit,), (0, 1, 2), (5,), {"Codegen": "mac16", **attributes}, name="region")
    return Partition(graph, [region])


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
    partition = on_accelerator(graph)
    assert partitions.unsound(partition, graph) is None
    assert partition.cost_us == pytest.approx(planning.best_us(graph))


def test_a_region_is_for_the_device_of_the_variant() -> None:
    graph = layer()
    partition = on_accelerator(graph, device="37")
    assert partitions.unsound(partition, graph) is None
    with constants({"DEVICE": 37}):
        assert partitions.unsound(partition, graph) is None
        without = on_accelerator(graph)
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
        graphs = partitions.graphs_to_repeat(every_motif(np.random.default_rng(seed)))
        assert all(planning.region_count(graph) > 1 for graph in graphs)


def _pays(graph: Graph, place: int) -> bool:
    """Return whether a product, with a bias per column, is worth a region of its own."""
    inputs, out = _shapes(graph, place), graph.operators[place].shape
    biased = Graph((*inputs, out[1:]), (Operator("matmul", (0, 1), out),), (3,))
    region = Region((Unit("mac16.matmul_bias", (3,), (0, 1, 2), (3,)),), (0, 1, 2), (3,))
    fits = planning.memory_bytes(biased, region) <= mac16.MEMORY_BYTES
    return fits and planning.region_us(biased, region) < planning.host_us(biased)


def test_a_wrong_structure_is_said() -> None:
    graph = layer()
    repeated = Operator("relu", (4,), (32, 64))
    twice = replace(graph, operators=(*graph.operators, repeated))
    assert "2 times" in (partitions.unsound(Partition(twice, []), graph) or "")
    (region,) = on_accelerator(graph).regions
    unnamed = Partition(graph, [replace(region, attributes={})])
    assert "Codegen" in (partitions.unsound(unnamed, graph) or "")
    unknown = on_accelerator(graph, "mac16.convolution")
    assert "does not have" in (partitions.unsound(unknown, graph) or "")
    loose = Partition(graph, [replace(region, loose=(5,))])
    assert "relu outside of a Composite" in (partitions.unsound(loose, graph) or "")
    narrow = layer(k=24)
    assert "K is 24" in (partitions.unsound(on_accelerator(narrow), narrow) or "")
    large = layer(k=256)
    assert "holds" in (partitions.unsound(on_accelerator(large), large) or "")
    other = replace(graph, outputs=(4,), inputs=((32, 64), (64, 64), (1, 64)))
    assert "takes and gives" in (partitions.unsound(on_accelerator(other), graph) or "")


@pytest.mark.parametrize(
    ("composite", "said"),
    [
        ("mac16.matmul_bias_relu", None),
        ("mac16.matmul_bias", "output 0"),
        ("mac16.matmul_relu", "computes relu"),
    ],
)
def test_the_accelerator_does_what_the_name_says(composite: str, said: str | None) -> None:
    graph = layer()
    partition = on_accelerator(graph, composite)
    mismatch = wiring.mismatch(graph, partition.regions, graph)
    assert (mismatch is None) if said is None else (said in (mismatch or ""))


def test_operands_of_an_addition_may_change_places() -> None:
    graph = layer()
    product, add, relu = graph.operators
    swapped = replace(graph, operators=(product, replace(add, inputs=(2, 3)), relu))
    assert wiring.mismatch(swapped, [], graph) is None


def test_a_value_of_another_shape_is_another_value() -> None:
    graph = layer()
    operators = (*graph.operators[:2], Operator("relu", (4,), (1, 1)))
    assert "[1, 1]" in (wiring.mismatch(replace(graph, operators=operators), [], graph) or "")


def test_two_weights_of_one_shape_are_distinguished() -> None:
    def two(first: int, second: int) -> Graph:
        operators = (
            Operator("matmul", (0, first), (16, 16)),
            Operator("matmul", (3, second), (16, 16)),
        )
        return Graph(((16, 16),) * 3, operators, (4,))

    assert wiring.mismatch(two(1, 2), [], two(1, 2)) is None
    assert "computes matmul" in (wiring.mismatch(two(2, 1), [], two(1, 2)) or "")
    assert "computes matmul" in (wiring.mismatch(two(1, 1), [], two(1, 2)) or "")


def test_all_graphs_of_the_generator_compute_themselves() -> None:
    for graph in every_motif(np.random.default_rng(5)):
        assert wiring.mismatch(graph, [], graph) is None


@needs_tvm
def test_what_is_built_is_read_again(session_over: Any) -> None:
    session: Session = session_over()
    builder = partitions.BUILDING.trusted(session)
    for graph in every_motif(np.random.default_rng(3))[:4]:
        module = builder.take(builder.ask("build", graph.text))
        partition = partitions.read(module, session)
        assert partition == Partition(graph, [])
        assert partition.cost_us == pytest.approx(planning.host_us(graph))


@needs_tvm
def test_what_is_no_module_is_refused(session_over: Any) -> None:
    session: Session = session_over()
    partition = partitions.read(b"many words", session)
    assert "no module" in partition.refused


def test_program_files_are_there() -> None:
    programs = (partitions.BUILDING, partitions.READING)
    assert all(isinstance(p, Path) and p.is_file() for q in programs for p in q.files.values())
