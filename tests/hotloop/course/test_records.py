"""The store of records: whole, in order, never overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hotloop.course import records
from hotloop.course.records import Grading
from hotloop.judge.record import Circumstances, Record, RungRecord
from hotloop.judge.verdict import Verdict

ABOUT = Circumstances("", "", "", "", "", {}, "", "none", "", 0.0)


def grading(graded: str, sentence: str = "Right.", digest: str = "a" * 64) -> Grading:
    rungs = (RungRecord("correct", Verdict.PASSED, sentence, 1.0, evidence={"x": [1.5]}),)
    record = Record("m", "t", Verdict.PASSED, sentence, rungs, ABOUT)
    return Grading("ada", "m", digest, graded, ("a note",), {"t": record})


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    kept = grading("20260101T000000000000Z", sentence="Es heißt “ja” \ud800")
    path = records.keep(tmp_path, kept)
    assert path.name == "aaaaaaaaaaaa-20260101T000000000000Z.json"
    assert records.read(path) == kept
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_the_latest_is_the_latest_whatever_the_digest(tmp_path: Path) -> None:
    records.keep(tmp_path, grading("20260102T000000000000Z", "new", digest="1" * 64))
    records.keep(tmp_path, grading("20260101T000000000000Z", "old", digest="f" * 64))
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


def test_a_grading_that_never_ended_hides_the_older_ones(tmp_path: Path) -> None:
    records.keep(tmp_path, grading("20260101T000000000000Z"))
    records.begin(tmp_path, "ada", "m")
    assert records.latest(tmp_path, "ada", "m") is None
    records.keep(tmp_path, grading(records.now()))
    assert records.latest(tmp_path, "ada", "m") is not None


def test_another_format_is_refused(tmp_path: Path) -> None:
    path = records.keep(tmp_path, grading("20260101T000000000000Z"))
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "format": 99}))
    with pytest.raises(ValueError, match="format 99"):
        records.read(path)
