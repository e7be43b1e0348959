from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from hotloop.bank.catalog import Entry
from hotloop.practice.plan import Planned, session, waiting
from hotloop.practice.schedule import standings
from hotloop.practice.state import Review

EntryOf = Callable[..., Entry]
ReviewOf = Callable[..., Review]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _keys(planned: Sequence[Planned]) -> list[str]:
    return [each.entry.key for each in planned]


def test_what_is_due_comes_first_and_what_is_not_is_left_out(
    entry: EntryOf, review: ReviewOf
) -> None:
    entries = [entry(id=name) for name in ("new", "later", "overdue", "due")]
    known = standings(
        [review(3, 9, "first.later"), review(1, 2, "first.overdue"), review(1, 5, "first.due")]
    )
    now = review(0, 10).at
    found = waiting(entries, known, now)
    assert _keys(session(found, 60)) == ["first.overdue", "first.due", "first.new"]
    assert _keys(session(found, 60, ahead=True))[-1] == "first.later"
    assert found.next_due == known["first.later"].due > now


def test_new_ones_go_from_easy_to_hard_and_modules_take_turns(entry: EntryOf) -> None:
    entries = [
        entry("x", id="hard", level="advanced"),
        entry("x", id="one"),
        entry("x", id="two"),
        entry("y", id="three"),
        entry(None, id="four"),
    ]
    now = waiting(entries, {}, NOON)
    assert _keys(now.new) == ["x.one", "y.three", "a.four", "x.two", "x.hard"]


def test_a_session_fills_its_minutes_and_asks_at_least_one(entry: EntryOf) -> None:
    sizes = {"a": 8, "b": 9, "c": 4, "d": 30}
    entries = [entry(id=name, minutes=minutes) for name, minutes in sizes.items()]
    found = waiting(entries, {}, NOON)
    assert _keys(session(found, 12)) == ["first.a", "first.c"]
    assert _keys(session(found, 1)) == ["first.a"]
    assert session(waiting([], {}, NOON), 30) == []
