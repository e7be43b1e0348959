"""Tensor graphs with in-place writes: their results, and which operations are still needed."""

import random

import pytest

from hotloop.judge.constants import constants
from hotloop.judge.graphs.graph import Graph, Node
from hotloop.tasks.modules.ssa_passes.tensor_graphs import (
    Malformed,
    Tensors,
    generated,
    owners,
    parse,
    programs,
    run,
    unfinished,
)
from hotloop.tasks.modules.ssa_passes.tensor_graphs import text as written

WRITTEN = "inputs x y\na = add x y\nb = mul_ x y\nc = add x y\nreturn a c\n"


def test_text_and_program_are_one() -> None:
    rng = random.Random()
    for count in range(2, 20):
        text = written(generated(rng, count))
        assert written(parse(text)) == text


def test_a_graph_can_need_a_mark() -> None:
    marked = WRITTEN + "cleaned 17\n"
    with constants({"CLEANED": 17}):
        assert written(parse(marked)) == WRITTEN
    for text, mark in ((marked, 18), (WRITTEN, 17), ("", 17)):
        with (
            constants({"CLEANED": mark}),
            pytest.raises(Malformed, match="not marked as cleaned"),
        ):
            parse(text)
    with pytest.raises(Malformed):
        parse(marked)


def test_a_write_changes_what_later_reads_see() -> None:
    a, c, x, _ = run(parse(WRITTEN), [3, 5])
    assert a != c
    assert x != 3
    assert unfinished(parse(WRITTEN)) is None


def test_a_draw_more_changes_the_next() -> None:
    one = run(parse("inputs x\na = rand_like x\nreturn a\n"), [1])
    two = run(parse("inputs x\na = rand_like x\nb = rand_like x\nreturn b\n"), [1])
    assert one != two


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("inputs x y\na = add x y\nb = add y x\nreturn a b\n", "b is computed again"),
        ("inputs x y\na = sub x y\nb = relu x\nreturn b\n", "nobody reads"),
    ],
)
def test_what_is_left_is_found(text: str, about: str) -> None:
    assert about in str(unfinished(parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "inputs x y\na = add x y\nb = add x y\nc = relu_ b\nreturn a c\n",
        "inputs x y\na = sub x y\nb = sub y x\nreturn a b\n",
        "inputs x\na = rand_like x\nb = rand_like x\nreturn a b\n",
    ],
)
def test_what_must_stay_is_not_asked_away(text: str) -> None:
    assert unfinished(parse(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        *(None, "", "inputs x\n", "return x\ninputs x\n"),
        "inputs x\na = add x\nreturn a\n",
        "inputs x\na = exec x\nreturn a\n",
        "inputs x\na = relu b\nb = relu x\nreturn a\n",
        "inputs x\nx = relu x\nreturn x\n",
        "inputs x\na = relu x\nreturn c\n",
        "inputs x\na relu x\nreturn x\n",
    ],
)
def test_what_is_no_program_is_refused(text: object) -> None:
    with pytest.raises(Malformed):
        parse(text)


def twins_merged(program: Tensors) -> Tensors:
    """Merge two random draws with equal arguments, which is a mistake."""
    first: dict[str, str] = {}
    renamed: dict[str, str] = {}
    nodes: list[Node] = []
    owner = owners(program)
    changed = {owner[node.name] for node in program.nodes if node.op.endswith("_")}
    for node in program.nodes:
        argument = node.reads[0]
        if node.op == "rand_like" and not {node.name, argument} & changed:
            if argument in first:
                renamed[node.name] = first[argument]
                continue
            first[argument] = node.name
        nodes.append(Node(node.name, node.op, tuple(renamed.get(n, n) for n in node.reads)))
    outputs = tuple(renamed.get(name, name) for name in program.outputs)
    return Graph(program.inputs, tuple(nodes), outputs)


@pytest.mark.slow
def test_whoever_merges_random_twins_is_found_out_by_every_draw_of_programs() -> None:
    for seed in range(100):
        asked = programs(random.Random(seed))
        assert len(asked) == 200
        assert all(written(parse(written(one))) == written(one) for one in asked)
        assert any(run(twins_merged(one), [3, 5]) != run(one, [3, 5]) for one in asked)
