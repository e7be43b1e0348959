"""The store of records: whole, in order, never overwritten."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.record import Circumstances, Record, RungRecord
from hotloop.core.verdict import Verdict
from hotloop.course import records
from hotloop.course.attempts.attempt import Environment, Kind, Points
from hotloop.course.attempts.course_store import store
from hotloop.course.records import Grading

ABOUT = Circumstances("", "", "", "", "", {}, "", "none", "", 0.0)


def grading(graded: str, sentence: str = "Right.", digest: str = "a" * 64) -> Grading:
    rungs = (RungRecord("correct", Verdict.PASSED, sentence, 1.0, evidence={"x": [1.5]}),)
    record = Record("m", "t", Verdict.PASSED, sentence, rungs, ABOUT)
    return Grading("ada", "m", digest, graded, ("a note",), {"t": record})


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    kept = replace(
        grading("20260101T000000000000Z", sentence="Es heißt “ja” \ud800"),
        outputs=[[{"output_type": "stream", "text": "x"}], []],
        seconds=2.5,
        handed_in="2026-01-01 00:00:00 UTC",
        environment=Environment("here", "{}"),
    )
    attempt = records.keep(tmp_path, kept)
    found = records.read(attempt)
    assert replace(found, environment=kept.environment, grader="") == kept
    assert found.grader == attempt.grader_digest
    assert found.environment is not None
    assert found.environment.digest == "here"
    assert records.latest(tmp_path, "ada", "m") == found
    assert records.history(tmp_path, "ada", "m") == [found]
    [event] = store(tmp_path).events()
    assert (event.kind, event.attempt_id) == (Kind.PUBLISHED, attempt.id)
    assert store(tmp_path).environment(attempt.environment) is not None


def test_the_latest_is_what_was_published_last(tmp_path: Path) -> None:
    records.keep(tmp_path, grading("20260101T000000000000Z", "old", digest="f" * 64))
    records.keep(tmp_path, grading("20260102T000000000000Z", "new", digest="1" * 64))
    latest = records.latest(tmp_path, "ada", "m")
    assert latest is not None
    assert latest.records["t"].sentence == "new"
    assert len(records.history(tmp_path, "ada", "m")) == 2
    assert records.latest(tmp_path, "bob", "m") is None


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    records.keep(tmp_path, grading("20260101T000000000000Z", "first"))
    with pytest.raises(FileExistsError):
        records.keep(tmp_path, grading("20260101T000000000000Z", "second"))
    latest = records.latest(tmp_path, "ada", "m")
    assert latest is not None
    assert latest.records["t"].sentence == "first"


def test_what_was_taken_over_is_kept_again_as_the_same_attempt(tmp_path: Path) -> None:
    """Files of earlier versions say more, in another order, and nobody knows their grader."""
    first = records.keep(tmp_path, grading("20260101T000000000000Z", digest="f" * 64))
    longer = json.dumps({"student": "ada", **json.loads(first.document)})
    old = replace(
        first,
        id=None,
        grader_digest="unknown",
        seed="20251201T000000000000Z",
        graded_at=datetime(2025, 12, 1, tzinfo=UTC),
        document=longer,
    )
    kept = store(tmp_path).add(old)
    assert records.keep(tmp_path, records.read(kept)) == kept
    assert len(records.history(tmp_path, "ada", "m")) == 2


def test_a_grading_that_never_ended_hides_the_older_ones(tmp_path: Path) -> None:
    records.keep(tmp_path, grading("20260101T000000000000Z"))
    records.begin(tmp_path, "ada", "m")
    assert records.latest(tmp_path, "ada", "m") is None
    records.keep(tmp_path, grading(records.now()))
    assert records.latest(tmp_path, "ada", "m") is not None


def test_another_format_is_refused(tmp_path: Path) -> None:
    attempt = records.keep(tmp_path, grading("20260101T000000000000Z"))
    document = json.loads(attempt.document)
    with pytest.raises(ValueError, match="format 99"):
        records.read(replace(attempt, document=json.dumps({**document, "format": 99})))


def test_what_it_is_worth_is_written_down(course: Any) -> None:
    rungs = (RungRecord("correct", Verdict.PASSED, "Right.", 0.5),)
    record = Record("tiny", "answer", Verdict.PARTIAL, "Half.", rungs, ABOUT)
    other = replace(record, task="no_task_of_it")
    found = {"answer": record, "no_task_of_it": other}
    once = Grading("ada", "tiny", "a" * 64, "20260101T000000000000Z", (), found)
    records.keep(course.root, once)
    records.keep(course.root, replace(once, graded="20260102T000000000000Z", records={}))
    first, second = store(course.root).events()
    assert (first.old, first.new) == (None, Points(2.0, 0.0))
    assert (second.old, second.new) == (Points(2.0, 0.0), Points(0.0, 0.0))
