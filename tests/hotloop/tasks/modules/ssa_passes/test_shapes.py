"""Types of steps: what holds for symbolic sizes agrees with numpy for many numbers."""

import json
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest

from hotloop.judge.constants import constants
from hotloop.judge.questions import Question
from hotloop.tasks.modules.ssa_passes.shapes import (
    Fails,
    Type,
    questions,
    step_type,
)

Programs = Callable[[np.random.Generator], Iterator[Question]]

N4: Type = ("float32", ("n", 4))


@pytest.mark.parametrize(
    ("op", "args", "options", "result"),
    [
        ("add", [N4, ("int64", ("n", 1))], {}, N4),
        ("add", [N4, ("float32", (4,))], {}, N4),
        ("less", [N4, N4], {}, ("bool", ("n", 4))),
        ("matmul", [N4, ("float32", (4, "m"))], {}, ("float32", ("n", "m"))),
        ("sum", [("bool", ("n",))], {"axis": -1}, ("int64", ())),
        ("transpose", [N4], {"axes": [1, 0]}, ("float32", (4, "n"))),
        ("concat", [N4, N4], {"axis": 1}, ("float32", ("n", 8))),
        ("concat", [("bool", (7,)), ("bool", (4,))], {"axis": 0}, ("bool", (11,))),
        ("where", [("bool", (4,)), N4, N4], {}, N4),
    ],
)
def test_what_fits(op: str, args: list[Type], options: dict[str, object], result: Type) -> None:
    assert step_type(op, args, options) == result


@pytest.mark.parametrize(
    ("op", "args", "options", "reason"),
    [
        ("add", [("float32", ("n",)), ("float32", (4,))], {}, "undecided"),
        ("add", [("float32", ("n",)), ("float32", ("m",))], {}, "undecided"),
        ("add", [("float32", ("n", 3)), ("float32", (4, 4))], {}, "unequal"),
        ("add", [("bool", (3,)), ("float32", (4,))], {}, "dtype"),
        ("matmul", [N4, ("float32", (8, 4))], {}, "unequal"),
        ("matmul", [N4, ("float32", ("n", 4))], {}, "undecided"),
        ("matmul", [N4, ("float32", (4,))], {}, "rank"),
        ("sum", [("float32", (3,))], {"axis": 1}, "rank"),
        ("concat", [N4, N4], {"axis": 0}, "undecided"),
        ("add", [("float32", ("n",)), ("float32", (12,))], {}, "undecided"),
        ("where", [N4, N4, N4], {}, "dtype"),
    ],
)
def test_what_does_not(op: str, args: list[Type], options: dict[str, object], reason: str) -> None:
    with pytest.raises(Fails, match=f"^{reason}$"):
        step_type(op, args, options)


PROGRAMS = [partial(questions, faulty=faulty) for faulty in (False, True)]


@pytest.mark.slow
@pytest.mark.parametrize("programs", PROGRAMS)
def test_an_empty_answer_is_wrong_for_all(programs: Programs) -> None:
    for question in programs(np.random.default_rng()):
        assert question.mismatch({}) is not None
        assert question.mismatch(None) is not None


@pytest.mark.slow
@pytest.mark.parametrize("programs", PROGRAMS)
def test_answers_can_need_the_version_of_their_rules(programs: Programs) -> None:
    with constants({"RULES": 17}):
        for question in programs(np.random.default_rng()):
            right = _right(str(question.arguments[0]))
            assert question.mismatch({"rules": 17, **right}) is None
            assert question.mismatch({"rules": 18, **right}) is not None
            assert question.mismatch(right) is not None


def _right(text: str) -> dict[str, object]:
    """Return the right answer to a program."""
    program = json.loads(text)
    types: dict[str, Type] = {n: (kind, tuple(e)) for n, (kind, e) in program["inputs"].items()}
    for name, op, args, options in program["steps"]:
        try:
            types[name] = step_type(op, [types[arg] for arg in args], options)
        except Fails as reason:
            return {"error": [name, str(reason)]}
    return {"types": {name: [kind, list(extents)] for name, (kind, extents) in types.items()}}
