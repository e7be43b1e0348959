"""Programs of fixed-point numbers: what they compute, what is broken, which patterns are found."""

import random

import numpy as np
import pytest

from hotloop.tasks.modules.ssa_passes import fixed_point
from hotloop.tasks.modules.ssa_passes.fixed_point import PARAMS, FixProgram, num
from hotloop.tasks.modules.ssa_passes.regions import Op

END = (Op("fix.unpack", ("z",), "", "out", "i64"), Op("func.return", ("out",)))
X = Op("fix.pack", ("a",), "", "x", num(8))


def program(*ops: Op) -> FixProgram:
    """A program that returns the bits of z."""
    body = (*ops, *END)
    types = dict(PARAMS) | {op.to: op.type for op in body if op.to}
    return FixProgram(PARAMS, body, types)


@pytest.mark.parametrize(
    ("bits", "first", "second", "result"),
    [
        (3, 16, 8, 3),
        (-1, 0, 8, -(2**8)),
        (-1, 4, 4, -1),
        (2**54, 16, 8, 2**54),
        (2**55, 16, 8, -(2**55)),
    ],
)
def test_rescales_shift_64_bits_with_a_sign(
    bits: int, first: int, second: int, result: int
) -> None:
    ops = (
        Op("fix.rescale", ("x",), "", "y", num(first)),
        Op("fix.rescale", ("y",), "", "z", num(second)),
    )
    assert program(X, *ops).run([bits, 0, 0])[-1] == result


FIVE = Op("fix.constant", (), "5", "x", num(8))
ZERO = Op("fix.constant", (), "0", "k", num(8))
LEFT = {
    "it adds zero": (X, ZERO, Op("fix.add", ("k", "x"), "", "z", num(8))),
    "it changes nothing": (X, Op("fix.rescale", ("x",), "", "z", num(8))),
    "it and the rescale that it reads are one": (
        X,
        Op("fix.rescale", ("x",), "", "y", num(12)),
        Op("fix.rescale", ("y",), "", "z", num(16)),
    ),
    "it multiplies by one": (
        X,
        Op("fix.constant", (), "1", "k", num(0)),
        Op("fix.mul", ("x", "k"), "", "z", num(8)),
    ),
    "it undoes the fix.unpack that it reads": (
        FIVE,
        Op("fix.unpack", ("x",), "", "y", "i64"),
        Op("fix.pack", ("y",), "", "z", num(8)),
    ),
    "nothing reads it": (
        X,
        Op("fix.add", ("x", "x"), "", "w", num(8)),
        Op("fix.add", ("x", "x"), "", "z", num(8)),
    ),
}
RIGHT = {
    "up and down": (
        X,
        Op("fix.rescale", ("x",), "", "y", num(12)),
        Op("fix.rescale", ("y",), "", "z", num(8)),
    ),
    "a one with fractional bits": (
        X,
        Op("fix.constant", (), "1", "k", num(8)),
        Op("fix.mul", ("x", "k"), "", "z", num(16)),
    ),
    "the bits of another type": (
        FIVE,
        Op("fix.unpack", ("x",), "", "y", "i64"),
        Op("fix.pack", ("y",), "", "w", num(4)),
        Op("fix.rescale", ("w",), "", "z", num(8)),
    ),
}


@pytest.mark.parametrize("left", LEFT)
def test_each_pattern_is_found(left: str) -> None:
    same = program(*LEFT[left])
    assert str(fixed_point.simplified(same, same, random.Random(0))).endswith(left)


@pytest.mark.parametrize("right", RIGHT)
def test_what_must_stay_is_no_pattern(right: str) -> None:
    same = program(*RIGHT[right])
    assert fixed_point.simplified(same, same, random.Random(0)) is None


def test_each_fault_is_asked_for_alone_and_in_a_region() -> None:
    questions = list(fixed_point.verified(np.random.default_rng(0)))
    labels = [question.label for question in questions]
    for fault in fixed_point.FAULTS:
        assert labels.count(f"A program with {fault}") == 2
    assert labels.count("A program without a fault") == 2 * len(fixed_point.FAULTS)
    for question in questions:
        wrong = question.label != "A program without a fault"
        assert (question.mismatch(None) is None) is not wrong
        assert (question.mismatch("a reason") is None) is wrong
        assert question.mismatch("") is not None
        assert question.mismatch(False) is not None


def test_programs_have_all_that_a_pattern_could_get_wrong() -> None:
    """Rescales in all directions, ones and zeros with and without fractional bits, regions."""
    programs = fixed_point.generated_many(random.Random(3), fixed_point.COUNT)
    text = "\n".join(map(str, programs))
    for part in ("scf.if", '"fix.rescale"', "value = 0 :", "value = 1 :", "@print(%"):
        assert text.count(part) > 20, part


@pytest.mark.parametrize(
    ("op", "kinds"),
    [
        (Op("arith.constant", (), "", "v", "f64"), []),
        (Op("arith.addi", ("a", "b"), "", "v", "i32"), ["i32", "i32"]),
        (Op("arith.divsi", ("a", "b"), "", "v", "i64"), ["i64", "i64"]),
        (Op("func.call", ("a",), "exit"), ["i64"]),
        (Op("scf.if", ("c",), "", "v", "i64", ((), ())), ["i1"]),
    ],
)
def test_what_the_machine_does_not_run_is_refused(op: Op, kinds: list[str]) -> None:
    assert not fixed_point._is_known(op, kinds, dict(PARAMS))  # pyright: ignore[reportPrivateUsage]
