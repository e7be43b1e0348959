"""Which attempt counts is told from what was published and what was dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotloop.course import records, standing
from hotloop.course.attempts.attempt import Attempt, Kind
from hotloop.course.attempts.course_store import store
from hotloop.course.records import Grading
from hotloop.course.standing import State


@pytest.fixture
def three(tmp_path: Path) -> list[Attempt]:
    """Two hand-ins, "a" and "b"; "b" was graded twice."""
    days = zip(("a", "b", "b"), (1, 2, 3), strict=True)
    return [
        records.keep(tmp_path, Grading("ada", "m", digest, f"2026010{day}T000000000000Z", (), {}))
        for digest, day in days
    ]


def states(root: Path) -> list[State]:
    return [listed.state for listed in standing.attempts(root, "ada", "m")]


def test_the_newest_that_is_not_dropped_stands(tmp_path: Path, three: list[Attempt]) -> None:
    kept = store(tmp_path)
    first, second, third = three
    assert standing.stands(tmp_path, "ada", "m") == third
    assert states(tmp_path) == [State.EARLIER, State.EARLIER, State.COUNTS]
    kept.note(Kind.DROPPED, third)
    assert standing.stands(tmp_path, "ada", "m") == second
    kept.note(Kind.DROPPED, second)
    # What is booked for it is published anew, and stays older than what was dropped.
    kept.note(Kind.PUBLISHED, first)
    assert states(tmp_path) == [State.COUNTS, State.DROPPED, State.DROPPED]
    kept.note(Kind.RESTORED, second)
    assert standing.stands(tmp_path, "ada", "m") == second
    assert states(tmp_path) == [State.COUNTS, State.EARLIER, State.DROPPED]


def test_a_hand_in_is_dropped_with_its_newest_attempt(tmp_path: Path, three: list[Attempt]) -> None:
    kept = store(tmp_path)
    _, second, third = three
    kept.note(Kind.DROPPED, second)
    assert not standing.is_dropped(tmp_path, "ada", "m", "b")
    kept.note(Kind.DROPPED, third)
    assert standing.is_dropped(tmp_path, "ada", "m", "b")
    assert not standing.is_dropped(tmp_path, "ada", "m", "a")
    assert not standing.is_dropped(tmp_path, "ada", "m", "never handed in")
    assert not standing.is_dropped(tmp_path, "bob", "m", "b")


def test_all_are_dropped_when_none_is_left(tmp_path: Path, three: list[Attempt]) -> None:
    assert not standing.all_dropped(tmp_path, "bob", "m")
    for attempt in three:
        assert not standing.all_dropped(tmp_path, "ada", "m")
        store(tmp_path).note(Kind.DROPPED, attempt)
    assert standing.all_dropped(tmp_path, "ada", "m")
    assert standing.stands(tmp_path, "ada", "m") is None


def test_a_shadow_never_stands(tmp_path: Path, three: list[Attempt]) -> None:
    records.add(tmp_path, Grading("ada", "m", "b", "20260104T000000000000Z", (), {}))
    assert standing.stands(tmp_path, "ada", "m") == three[-1]
    assert states(tmp_path)[-1] is State.SHADOW
    store(tmp_path).note(Kind.DROPPED, three[-1])
    assert standing.is_dropped(tmp_path, "ada", "m", "b")
