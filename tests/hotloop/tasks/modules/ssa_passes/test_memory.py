"""Memory plans: overlaps, lifetimes, and the smallest peak."""

import random

from hotloop.judge.constants import constants
from hotloop.judge.graphs.graph import Graph, Node
from hotloop.tasks.modules.ssa_passes.memory import arena, generated, peak, smallest

STEPS = {"a": ("x",), "c": ("x",), "b": ("a",), "d": ("c",), "e": ("b", "d")}
GRAPH = Graph(
    ("x",),
    tuple(Node(name, "", inputs) for name, inputs in STEPS.items()),
    ("e",),
    {"x": 8, "a": 64, "b": 32, "c": 128, "d": 8, "e": 8},
)


def test_peaks_depend_on_the_order() -> None:
    assert peak(GRAPH, ["a", "c", "b", "d", "e"]) == 224
    assert peak(GRAPH, ["c", "d", "a", "b", "e"]) == 144
    assert peak(GRAPH, ["a", "b", "c", "d", "e"]) == 168
    assert smallest(GRAPH) == 144


def test_overlaps_are_seen() -> None:
    apart, start = {}, 0
    for name, size in GRAPH.types.items():
        apart[name] = start
        start += size
    assert arena(GRAPH, apart) == sum(GRAPH.types.values())
    shared = {**apart, "e": apart["c"]}
    assert isinstance(arena(GRAPH, shared), int)
    assert "overlap" in str(arena(GRAPH, {**apart, "b": apart["a"]}))
    assert "overlap" in str(arena(GRAPH, {**apart, "c": apart["a"] - 8}))


def test_what_is_no_plan_is_refused() -> None:
    for answer in (None, [], {}, {"x": 0}, dict.fromkeys(GRAPH.types, -8)):
        assert isinstance(arena(GRAPH, answer), str)
    assert isinstance(arena(GRAPH, dict.fromkeys(GRAPH.types, True)), str)


def test_no_order_beats_the_smallest() -> None:
    rng = random.Random()
    for _ in range(10):
        graph = generated(rng, 5)
        assert smallest(graph) <= peak(graph)


def test_memory_can_begin_further_up() -> None:
    apart, start = {}, 4096
    for name, size in GRAPH.types.items():
        apart[name] = start
        start += size
    from_nought = {name: offset - 4096 for name, offset in apart.items()}
    with constants({"MEMORY_BEGINS": 4096}):
        assert arena(GRAPH, apart) == sum(GRAPH.types.values())
        assert "memory begins at 4096" in str(arena(GRAPH, from_nought))
    for begin in (2048, 8192):
        with constants({"MEMORY_BEGINS": begin}):
            assert "memory begins at" in str(arena(GRAPH, apart))
