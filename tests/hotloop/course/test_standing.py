"""Published and dropped attempts determine which attempt counts."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hotloop.course import standing
from hotloop.course.attempts.attempt import Attempt, Kind
from hotloop.course.attempts.store import store
from hotloop.course.standing import AttemptState

from .attempts.events import note


def made(digest: str, day: int) -> Attempt:
    return Attempt("ada", "m", digest, "g", {}, datetime(2026, 1, day, tzinfo=UTC), 1.0, {})


def stands(root: Path) -> Attempt | None:
    """Return the newest attempt that was published and is not dropped."""
    kept = store(root)
    left = kept.published_ids("ada", "m") - kept.dropped("ada", "m").keys()
    return standing.newest(root, "ada", "m", left)


@pytest.fixture
def three(tmp_path: Path) -> list[Attempt]:
    """Two hand-ins, "a" and "b"; "b" was graded twice."""
    kept = store(tmp_path)
    found = [kept.add(made(digest, day)) for digest, day in (("a", 1), ("b", 2), ("b", 3))]
    for attempt in found:
        note(kept, Kind.PUBLISHED, attempt)
    return found


def states(root: Path) -> list[AttemptState]:
    return [listed.state for listed in standing.attempts(root, "ada", "m")]


def test_the_newest_that_is_not_dropped_stands(tmp_path: Path, three: list[Attempt]) -> None:
    kept = store(tmp_path)
    first, second, third = three
    assert stands(tmp_path) == third
    assert states(tmp_path) == [AttemptState.EARLIER, AttemptState.EARLIER, AttemptState.COUNTS]
    note(kept, Kind.DROPPED, third)
    assert stands(tmp_path) == second
    note(kept, Kind.DROPPED, second)
    # It is published again, and remains older than the dropped one.
    note(kept, Kind.PUBLISHED, first)
    assert states(tmp_path) == [AttemptState.COUNTS, AttemptState.DROPPED, AttemptState.DROPPED]
    note(kept, Kind.RESTORED, second)
    assert stands(tmp_path) == second
    assert states(tmp_path) == [AttemptState.COUNTS, AttemptState.EARLIER, AttemptState.DROPPED]


def test_a_hand_in_is_dropped_with_its_newest_attempt(tmp_path: Path, three: list[Attempt]) -> None:
    kept = store(tmp_path)
    _, second, third = three
    note(kept, Kind.DROPPED, second)
    assert not standing.is_dropped(tmp_path, "ada", "m", "b")
    note(kept, Kind.DROPPED, third)
    assert standing.is_dropped(tmp_path, "ada", "m", "b")
    assert not standing.is_dropped(tmp_path, "ada", "m", "a")
    assert not standing.is_dropped(tmp_path, "ada", "m", "never handed in")
    assert not standing.is_dropped(tmp_path, "bob", "m", "b")


def test_all_are_dropped_when_none_is_left(tmp_path: Path, three: list[Attempt]) -> None:
    assert not standing.all_dropped(tmp_path, "bob", "m")
    for attempt in three:
        assert not standing.all_dropped(tmp_path, "ada", "m")
        note(store(tmp_path), Kind.DROPPED, attempt)
    assert standing.all_dropped(tmp_path, "ada", "m")
    assert stands(tmp_path) is None


def test_a_shadow_never_stands(tmp_path: Path, three: list[Attempt]) -> None:
    store(tmp_path).add(made("b", 4))
    assert stands(tmp_path) == three[-1]
    assert states(tmp_path)[-1] is AttemptState.SHADOW
    note(store(tmp_path), Kind.DROPPED, three[-1])
    assert standing.is_dropped(tmp_path, "ada", "m", "b")
