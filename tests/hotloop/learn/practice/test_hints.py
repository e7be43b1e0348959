"""Hints one by one: in order, a later one after a check."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.learn.practice import hints, verdicts
from hotloop.learn.practice.verdicts import VerdictLine
from hotloop.verdicts.words import NOT_STARTED

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TASK = "first.sum"


@pytest.fixture(autouse=True)
def _kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(verdicts.OFF, raising=False)


def at(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def check(minute: int, task: str = TASK) -> VerdictLine:
    return VerdictLine(
        at=at(minute), task=task, verdict=Verdict.WRONG_ANSWER, points=0, pending=0, possible=9,
        by="notebook",
    )  # fmt: skip


def test_they_come_in_order_with_a_check_between_them() -> None:
    assert hints.count(TASK) == 0
    assert hints.take(TASK, 3, [], at(0)) == 1
    assert hints.take(TASK, 3, [check(1)], at(2)) == 2
    assert hints.take(TASK, 3, [check(1), check(3)], at(4)) == 3
    with pytest.raises(UserError, match="All 3 hints"):
        hints.take(TASK, 3, [check(5)], at(6))
    assert hints.count(TASK) == 3


@pytest.mark.parametrize(
    "checks",
    [
        [],
        [check(-1)],
        [check(1, "first.mean")],
        [check(1).model_copy(update={"state": NOT_STARTED})],
    ],
    ids=["no check", "a check before", "another task", "nothing begun"],
)
def test_the_second_one_waits_for_a_check_of_this_task(checks: list[VerdictLine]) -> None:
    hints.take(TASK, 3, checks, at(0))
    with pytest.raises(UserError, match=r"Hint 2 on first\.sum comes after another check"):
        hints.take(TASK, 3, checks, at(9))
    assert hints.count(TASK) == 1


def test_what_only_people_grade_needs_no_check_between_hints() -> None:
    assert [hints.take(TASK, 3, None, at(0)) for _ in range(3)] == [1, 2, 3]
    with pytest.raises(UserError, match="All 3 hints"):
        hints.take(TASK, 3, None, at(1))


def test_each_task_has_its_own_turn() -> None:
    hints.take(TASK, 3, [], at(0))
    assert hints.take("first.mean", 3, [], at(0)) == 1


def test_a_line_that_cannot_be_read_gives_no_later_hint() -> None:
    hints.take(TASK, 3, [], at(0))
    with hints.path().open("a") as file:
        file.write(
            '{"hint": 2}\n\n{"at": "2026-03-01T13:00:00Z", "task": "first.sum", "hint": 0}\n'
        )
    assert hints.count(TASK) == 1


def test_without_a_record_there_is_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(verdicts.OFF, "1")
    with pytest.raises(UserError, match="The notebook has them"):
        hints.take(TASK, 3, [], at(0))
