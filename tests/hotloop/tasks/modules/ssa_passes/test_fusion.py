"""Fused kernels: which are invalid, which cannot run, the bytes they move, and the minimum."""

import random

import pytest

from hotloop.judge.constants import constants
from hotloop.judge.graphs.graph import Graph, Node
from hotloop.tasks.modules.ssa_passes.fusion import (
    MOTIFS,
    SMALL_GRAPHS,
    TRAPS,
    answered,
    cost,
    generated,
    greedy,
    least,
    run,
    small_graphs,
    unmerged,
)

FLAT, COLUMN, SQUARE = (4, 8), (4, 1), (8, 8)
GRAPH = Graph(
    ("x", "w"),
    (
        Node("e", "exp", ("x",)),
        Node("s", "sum", ("e",)),
        Node("d", "mul", ("e", "s")),
        Node("p", "matmul", ("d", "w")),
        Node("r", "add", ("p", "d")),
    ),
    ("r",),
    {**dict.fromkeys("xedpr", FLAT), "s": COLUMN, "w": SQUARE},
)
ALONE = [["e"], ["s"], ["d"], ["p"], ["r"]]


def test_bytes_are_counted_tensor_by_tensor() -> None:
    flat, column, square = 4 * 32, 4 * 4, 4 * 64
    each = [2 * flat, flat + column, 2 * flat + column, 2 * flat + square, 3 * flat]
    assert run(GRAPH, ALONE) == sum(each)
    fused = [["e", "s"], ["d"], ["p", "r"]]
    assert run(GRAPH, fused) == sum(
        (2 * flat + column, 2 * flat + column, flat + square + flat)  # d is loaded once
    )


@pytest.mark.parametrize(
    ("kernels", "about"),
    [
        ([["e", "s", "d"], ["p"], ["r"]], "before its kernel's loop has ended"),
        ([["e"], ["s"], ["d", "p"], ["r"]], "needs all of d"),
        ([["e", "d"], ["s"], ["p"], ["r"]], "which no earlier kernel has made"),
        ([["e"], ["s"], ["p"], ["d"], ["r"]], "reads d"),
    ],
)
def test_what_cannot_run_is_said(kernels: list[list[str]], about: str) -> None:
    assert about in str(run(GRAPH, kernels))


def test_two_loops_and_two_products_are_refused() -> None:
    products = (Node("p", "matmul", ("x", "w")), Node("q", "matmul", ("x", "w")))
    two = Graph(("x", "w"), products, ("p", "q"), {**dict.fromkeys("xpq", FLAT), "w": SQUARE})
    assert "two matmuls" in str(run(two, [["p", "q"]]))
    relus = (Node("a", "relu", ("x",)), Node("b", "relu", ("w",)))
    types = {**dict.fromkeys("xa", FLAT), **dict.fromkeys("wb", SQUARE)}
    loops = Graph(("x", "w"), relus, ("a", "b"), types)
    assert "different loops" in str(run(loops, [["a", "b"]]))


def test_what_is_left_to_merge_is_found() -> None:
    assert "could be one kernel" in str(unmerged(GRAPH, ALONE))
    assert unmerged(GRAPH, [["e", "s"], ["d"], ["p", "r"]]) is None


def test_answers_that_are_no_division_are_refused() -> None:
    for answer in (None, 3, [], [["e"]], [*ALONE, ["e"]], [["e", "s", "d", "p", "r", "z"]]):
        assert isinstance(answered(GRAPH, answer), str)
    assert answered(GRAPH, [*ALONE, []]) == ALONE


def test_the_least_is_least() -> None:
    rng = random.Random()
    for number in range(2 * len(MOTIFS)):
        graph = generated(rng, number, 5)
        assert least(graph) <= greedy(graph) <= (cost(graph, [[m] for m in graph.by_name]) or 0)


@pytest.mark.slow
def test_traps_are_among_the_small_graphs() -> None:
    pairs = list(small_graphs(random.Random()))
    assert len(pairs) == SMALL_GRAPHS
    assert sum(greedy(graph) > fewest for graph, fewest in pairs) == TRAPS


def test_kernels_can_be_numbered() -> None:
    numbered = [[number, *kernel] for number, kernel in enumerate(ALONE, 17)]
    with constants({"FIRST_KERNEL": 17}):
        assert answered(GRAPH, numbered) == ALONE
        assert "its number, 17" in str(answered(GRAPH, ALONE))
    with constants({"FIRST_KERNEL": 18}):
        assert "its number, 18" in str(answered(GRAPH, numbered))
    assert isinstance(answered(GRAPH, numbered), str)
