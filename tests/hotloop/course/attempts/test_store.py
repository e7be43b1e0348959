"""The store keeps all attempts, in order, and does not allow changes."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.course.attempts.attempt import Attempt, AttemptPoints, Kind, now
from hotloop.course.attempts.store import Store, forget

from .events import begin, note

Make = Callable[..., Attempt]


FIRST = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = datetime(2026, 1, 2, tzinfo=UTC)


def test_what_is_added_is_found_as_it_was(store: Store, attempt: Make) -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    checks = (CheckRecord("correct", Verdict.PASSED, "Es heißt “ja”", 1.0, evidence={"x": [1.5]}),)
    about = Circumstances("", "", "", "", "", {}, "", "none", "", 0.0)
    given = attempt(
        graded=datetime(2026, 3, 1, tzinfo=zone),
        records={"t": Record("m", "t", Verdict.PASSED, "Right.", checks, about)},
        notes=["“" * 5000, "\ud800"],
        persons=["answer"],
        notebook={"cells": []},
        outputs=[[{"output_type": "stream", "text": "x"}], []],
        files={"work.py": "x"},
    )
    kept = store.add(given)
    [found] = store.history("ada", "tiny")
    assert found == kept == replace(given, id=kept.id)


def test_another_format_is_refused(attempt: Make) -> None:
    with pytest.raises(ValueError, match="format 99"):
        Attempt.from_json({**attempt().to_json(), "format": 99})


def test_a_long_document_is_stored_short(store: Store, attempt: Make, url: str) -> None:
    store.add(attempt(notes=["a" * 100_000]))
    engine = create_engine(url)
    with engine.connect() as connection:
        query = text("SELECT length(document) FROM hotloop_attempts")
        assert connection.execute(query).scalar_one() < 1000
    engine.dispose()


def test_the_same_key_twice_changes_nothing(store: Store, attempt: Make) -> None:
    first = store.add(attempt(notes=["first"]))
    assert store.add(attempt(notes=["second"], seconds=9.0)) == first
    assert store.history("ada", "tiny") == [first]


@pytest.mark.parametrize(
    "difference",
    [
        {"student": "other"},
        {"module": "other"},
        {"digest": "other"},
        {"grader": "other"},
        {"graded": SECOND},
    ],
)
def test_every_part_of_the_key_counts(
    store: Store, attempt: Make, difference: dict[str, Any]
) -> None:
    first, other = store.add(attempt()), store.add(attempt(**difference))
    assert first.id != other.id


def test_a_time_without_a_zone_is_refused(store: Store, attempt: Make) -> None:
    with pytest.raises(Exception, match="has no zone"):
        store.add(attempt(graded=datetime(2026, 1, 1)))


def test_what_was_published_last_counts(store: Store, attempt: Make) -> None:
    assert store.published("ada", "tiny") is None
    older, newer = store.add(attempt(graded=FIRST)), store.add(attempt(graded=SECOND))
    assert store.published("ada", "tiny") is None
    note(store, Kind.PUBLISHED, newer)
    assert store.published("ada", "tiny") == newer
    note(store, Kind.PUBLISHED, older, why="taken back")
    assert store.published("ada", "tiny") == older
    assert store.published("bob", "tiny") is None
    assert store.published("ada", "other") is None


def test_what_has_begun_hides_what_was(store: Store, attempt: Make) -> None:
    kept = store.add(attempt())
    note(store, Kind.PUBLISHED, kept)
    begin(store, "ada", "tiny")
    assert store.published("ada", "tiny") is None
    note(store, Kind.PUBLISHED, kept)
    assert store.published("ada", "tiny") == kept


def test_what_is_dropped_does_not_count_until_it_is_restored(store: Store, attempt: Make) -> None:
    older, newer = store.add(attempt(graded=FIRST)), store.add(attempt(graded=SECOND))
    bobs = store.add(attempt(student="bob"))
    for each in (older, newer, bobs):
        note(store, Kind.PUBLISHED, each)
    old, new = AttemptPoints(3.0, 0.0), AttemptPoints(5.0, 2.0)
    said = note(store, Kind.DROPPED, newer, "eve", "copied", old, new, "b1")
    assert (said.kind, said.attempt_id, said.why) == (Kind.DROPPED, newer.id, "copied")
    assert (said.who, said.old, said.new, said.batch) == ("eve", old, new, "b1")
    assert store.published("ada", "tiny") is None
    assert store.dropped("ada", "tiny") == {newer.id: said}
    assert store.published_ids("ada", "tiny") == {older.id, newer.id}
    note(store, Kind.PUBLISHED, older)
    assert store.published("ada", "tiny") == older
    note(store, Kind.RESTORED, newer, why="not copied")
    assert store.dropped("ada", "tiny") == {}
    note(store, Kind.PUBLISHED, newer)
    assert store.published("ada", "tiny") == newer
    note(store, Kind.DROPPED, newer)
    assert store.published("ada", "tiny") is None


def test_only_what_is_stored_is_published(store: Store, attempt: Make) -> None:
    with pytest.raises(ValueError, match="stored"):
        note(store, Kind.PUBLISHED, attempt())
    assert store.events() == []


def test_events_say_who_when_why_and_what(store: Store, attempt: Make) -> None:
    start = now()
    kept = store.add(attempt())
    begin(store, "ada", "tiny", who="eve", why="handed in again", batch="b1")
    old, new = AttemptPoints(3.0, 2.0), AttemptPoints(5.0, 0.0)
    said = note(store, Kind.PUBLISHED, kept, "eve", "grader changed", old, new, "b2")
    begin(store, "bob", "other")
    begun, published, bobs = store.events()
    assert published == said
    assert (begun.kind, begun.who, begun.why, begun.batch) == (
        Kind.BEGUN,
        "eve",
        "handed in again",
        "b1",
    )
    assert (published.attempt_id, published.old, published.new) == (kept.id, old, new)
    assert start <= begun.at <= published.at <= bobs.at <= now()
    assert bobs.who
    assert (bobs.attempt_id, bobs.old) == (None, None)


def test_events_are_filtered(store: Store, attempt: Make) -> None:
    kept = store.add(attempt())
    first = begin(store, "ada", "tiny", batch="b1")
    second = note(store, Kind.PUBLISHED, kept, batch="b1")
    third = begin(store, "bob", "other")
    assert store.events(student="ada") == [first, second]
    assert store.events(module="other") == [third]
    assert store.events(kind=Kind.BEGUN) == [first, third]
    assert store.events(batch="b1", kind=Kind.PUBLISHED) == [second]


REFUSED = [
    "UPDATE hotloop_attempts SET document = ''",
    "UPDATE hotloop_events SET why = ''",
    "DELETE FROM hotloop_attempts",
    "DELETE FROM hotloop_events WHERE kind = 'published'",
]
REFUSED_BY = {
    "sqlite": [
        "INSERT OR REPLACE INTO hotloop_attempts SELECT * FROM hotloop_attempts",
        "INSERT OR REPLACE INTO hotloop_events SELECT * FROM hotloop_events",
        "UPDATE OR REPLACE hotloop_events SET id = 1 WHERE id = 2",
    ],
    "postgresql": ["TRUNCATE hotloop_attempts CASCADE"],
}


def test_the_database_itself_refuses_changes(store: Store, attempt: Make, url: str) -> None:
    kept = store.add(attempt())
    note(store, Kind.PUBLISHED, kept)
    begin(store, "ada", "tiny")
    engine = create_engine(url)
    for statement in (*REFUSED, *REFUSED_BY[engine.dialect.name]):
        with pytest.raises(DBAPIError, match="append-only"), engine.begin() as connection:
            connection.execute(text(statement))
    engine.dispose()
    assert store.history("ada", "tiny") == [kept]
    assert len(store.events()) == 2


def test_a_person_is_forgotten(store: Store, attempt: Make, url: str) -> None:
    for student in ("ada", "bob"):
        note(store, Kind.PUBLISHED, store.add(attempt(student=student)), why=f"for {student}")
    said = store.write(lambda connection: forget(connection, "ada"))
    assert (said.kind, said.student, said.module) == (Kind.FORGOTTEN, "", "")
    assert said.why == "1 attempts and 1 events were deleted"
    assert store.history("ada", "tiny") == []
    assert [event.student for event in store.events()] == ["bob", ""]
    assert "ada" not in repr(store.events())
    assert store.published("bob", "tiny") is not None
    engine = create_engine(url)
    with pytest.raises(DBAPIError, match="append-only"), engine.begin() as connection:
        connection.execute(text("DELETE FROM hotloop_attempts WHERE student = 'bob'"))
    engine.dispose()


BESIDE = """
import sys
from datetime import UTC, datetime
from hotloop.course.attempts.attempt import Attempt, Kind
from hotloop.course.attempts.store import Store, about, note

store = Store(sys.argv[1])
for number in range(10):
    at = datetime(2026, 1, 1, 0, number, tzinfo=UTC)
    made = Attempt("ada", "tiny", "d", "g", {}, at, 1.0, {})
    event = about(store.add(made), Kind.PUBLISHED, sys.argv[2])
    store.write(lambda connection: note(connection, event))
"""


@pytest.mark.slow
def test_processes_beside_each_other_on_an_empty_database(url: str) -> None:
    """All processes create the tables, and all store the same keys."""
    started = [
        subprocess.Popen([sys.executable, "-c", BESIDE, url, name], stderr=subprocess.PIPE)
        for name in ("a", "b", "c")
    ]
    said = [process.communicate(timeout=150)[1] for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], said
    store = Store(url)
    kept = store.history("ada", "tiny")
    assert [attempt.graded.minute for attempt in kept] == list(range(10))
    published = store.events(kind=Kind.PUBLISHED)
    assert sorted(event.who for event in published) == ["a"] * 10 + ["b"] * 10 + ["c"] * 10
