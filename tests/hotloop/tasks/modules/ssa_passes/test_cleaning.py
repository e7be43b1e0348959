"""The checks sound, same and complete, on ready results."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from hotloop.core.verdict import Ruling
from hotloop.judge.check import as_check
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes.cleaning import Language, checks
from hotloop.tasks.modules.ssa_passes.language import Malformed
from hotloop.tasks.modules.ssa_passes.regions import (
    Op,
    RegionProgram,
    different,
    generated,
    same_types,
    size,
    unfinished,
)

PARAMS = (("a", "i64"), ("b", "i64"), ("c", "i1"))
SUM = Op("arith.addi", ("a", "b"), to="sum", type="i64")
RETURN = Op("func.return", ("sum",), type="i64")
CLEAN = RegionProgram(PARAMS, (SUM, RETURN))
UNREAD = RegionProgram(PARAMS, (SUM, replace(SUM, to="unread"), RETURN))
DIFFERENCE = RegionProgram(PARAMS, (replace(SUM, name="arith.subi"), RETURN))


LANGUAGE = Language(
    generate=lambda rng: [generated(rng, 0)],
    write=str,
    reader=lambda _session: lambda _answer: CLEAN,
    fits=same_types,
    size=size,
    terms={"arith.addi": "pd_op.add"},
)
CHECKS = checks(LANGUAGE, different, unfinished)


class _Asked:
    """A session in which the candidate made `answer` of a program."""

    def __init__(self, answer: RegionProgram | Malformed) -> None:
        self.answer = answer
        self.figures: dict[str, int] = {}

    def once(
        self, _key: str, _make: Callable[[], object]
    ) -> list[tuple[RegionProgram, RegionProgram | Malformed]]:
        return [(UNREAD, self.answer)]

    def rng(self) -> np.random.Generator:
        return np.random.default_rng()

    def note(self, **figures: int) -> None:
        self.figures |= figures


def _judged(name: str, answer: RegionProgram | Malformed) -> tuple[str, dict[str, int]]:
    session: Any = _Asked(answer)
    return CHECKS[name](cast(Session, session)), session.figures


@pytest.mark.parametrize("name", ["sound", "same", "complete"])
def test_operations_are_counted(name: str) -> None:
    said, figures = _judged(name, CLEAN)
    assert said == "So for all 1 programs: 3 operations before, 2 after."
    assert figures == {"operations_before": 3, "operations_after": 2}


@pytest.mark.parametrize(
    ("name", "answer", "about"),
    [
        ("sound", Malformed("it gives no program"), "Program 1: it gives no program. It was: func"),
        ("sound", replace(CLEAN, params=PARAMS[:2]), "its function takes something else"),
        ("same", DIFFERENCE, "it gives"),
        ("complete", UNREAD, "%unread = pd_op.add is still there"),
    ],
)
def test_a_mismatch_names_the_program(
    name: str, answer: RegionProgram | Malformed, about: str
) -> None:
    with pytest.raises(Ruling) as ruling:
        _judged(name, answer)
    assert about in ruling.value.sentence


def test_who_hands_every_program_back_has_done_nothing() -> None:
    with pytest.raises(Ruling, match="left with what there was to do"):
        _judged("sound", UNREAD)


def test_each_check_stands_on_the_one_before() -> None:
    assert [as_check(check).prerequisites for check in CHECKS.values()] == [
        (),
        ("sound",),
        ("same",),
    ]
