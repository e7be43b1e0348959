"""Tensor graphs with in-place writes: their results, and which operations are still needed."""

import random

import pytest

from hotloop.judge.constants import constants
from hotloop.tasks.modules.ssa_passes.tensor_graphs import (
    Malformed,
    Steps,
    generated,
    parse,
    programs,
    unfinished,
)

WRITTEN = "inputs x y\na = add x y\nb = mul_ x y\nc = add x y\nreturn a c\n"


def test_text_and_program_are_one() -> None:
    rng = random.Random()
    for count in range(2, 20):
        text = str(generated(rng, count))
        assert str(parse(text)) == text


def test_a_graph_can_need_a_mark() -> None:
    marked = WRITTEN + "cleaned 17\n"
    with constants({"CLEANED": 17}):
        assert str(parse(marked)) == WRITTEN
    for text, mark in ((marked, 18), (WRITTEN, 17), ("", 17)):
        with (
            constants({"CLEANED": mark}),
            pytest.raises(Malformed, match="not marked as cleaned"),
        ):
            parse(text)
    with pytest.raises(Malformed):
        parse(marked)


def test_a_write_changes_what_later_reads_see() -> None:
    a, c, x, _ = parse(WRITTEN).run([3, 5])
    assert a != c
    assert x != 3
    assert unfinished(parse(WRITTEN)) is None


def test_a_draw_more_changes_the_next() -> None:
    one = parse("inputs x\na = rand_like x\nreturn a\n").run([1])
    two = parse("inputs x\na = rand_like x\nb = rand_like x\nreturn b\n").run([1])
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


def twins_merged(program: Steps) -> Steps:
    """Merge two random draws with equal arguments, which is a mistake."""
    found: dict[str, str] = {}
    told: dict[str, str] = {}
    steps: list[tuple[str, str, tuple[str, ...]]] = []
    owner = program.owners()
    written = {owner[name] for name, op, _ in program.steps if op.endswith("_")}
    for name, op, args in program.steps:
        if op == "rand_like" and name not in written and args[0] not in written:
            if args[0] in found:
                told[name] = found[args[0]]
                continue
            found[args[0]] = name
        steps.append((name, op, tuple(told.get(arg, arg) for arg in args)))
    returned = tuple(told.get(name, name) for name in program.returned)
    return Steps(program.inputs, tuple(steps), returned)


def test_whoever_merges_random_twins_is_found_out_by_every_draw_of_programs() -> None:
    for seed in range(100):
        asked = programs(random.Random(seed))
        assert len(asked) == 200
        assert all(str(parse(str(one))) == str(one) for one in asked)
        assert any(twins_merged(one).run([3, 5]) != one.run([3, 5]) for one in asked)
