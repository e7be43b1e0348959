"""Gradings that earlier versions kept in files are taken over, once, and the files stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.record import Circumstances, Record, RungRecord
from hotloop.core.verdict import Verdict
from hotloop.course import records
from hotloop.course.attempts.attempt import Kind
from hotloop.course.attempts.course_store import store
from hotloop.course.attempts.record_files import take_over
from hotloop.course.attempts.store import Store
from hotloop.course.records import Grading

ABOUT = Circumstances("", "", "", "a processor", "", {}, "", "bubblewrap", "", 1.5)


def write(root: Path, student: str, time: str, sentence: str = "Right.", **more: Any) -> Path:
    """A file as the earlier version wrote it."""
    rungs = (RungRecord("correct", Verdict.PASSED, sentence, 1.0),)
    record = Record("tiny", "answer", Verdict.PASSED, sentence, rungs, ABOUT)
    document = {
        "format": 1,
        "student": student,
        "module": "tiny",
        "submission_digest": "d" * 64,
        "graded": time,
        "notes": ["a note"],
        "records": {"answer": record.to_json()},
        **more,
    }
    folder = root / "records" / student / "tiny"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"dddddddddddd-{time}.json"
    path.write_text(json.dumps(document, indent=1))
    return path


def begun(root: Path, student: str, time: str) -> None:
    (root / "records" / student / "tiny" / "begun").write_text(time)


def test_the_newest_file_counts(tmp_path: Path) -> None:
    write(tmp_path, "ada", "20260102T000000000000Z", "new")
    write(tmp_path, "ada", "20260101T000000000000Z", "old")
    begun(tmp_path, "ada", "20260101T120000000000Z")
    before = sorted(path.read_bytes() for path in tmp_path.rglob("*.json"))
    found = records.latest(tmp_path, "ada", "tiny")
    assert found is not None
    assert found.records["answer"].sentence == "new"
    assert (found.graded, found.notes) == ("20260102T000000000000Z", ("a note",))
    assert [g.graded[:8] for g in records.history(tmp_path, "ada", "tiny")] == [
        "20260101",
        "20260102",
    ]
    [attempt] = [a for a in store(tmp_path).history("ada", "tiny") if a.graded_at.day == 2]
    assert (attempt.seconds, attempt.device, attempt.isolation) == (
        1.5,
        "a processor",
        "bubblewrap",
    )
    assert sorted(path.read_bytes() for path in tmp_path.rglob("*.json")) == before


def test_a_grading_that_never_ended_hides_the_older_ones(tmp_path: Path) -> None:
    write(tmp_path, "ada", "20260101T000000000000Z")
    begun(tmp_path, "ada", "20260101T000000000001Z")
    assert records.latest(tmp_path, "ada", "tiny") is None
    assert len(records.history(tmp_path, "ada", "tiny")) == 1


def test_it_is_done_once(tmp_path: Path) -> None:
    write(tmp_path, "ada", "20260101T000000000000Z", "in a file")
    assert records.latest(tmp_path, "ada", "tiny") is not None
    kept = store(tmp_path)
    newer = records.latest(tmp_path, "ada", "tiny")
    assert newer is not None
    records.keep(tmp_path, Grading("ada", "tiny", "x", records.now(), (), dict(newer.records)))
    write(tmp_path, "bob", "20260101T000000000000Z")
    take_over(tmp_path, kept)
    assert records.latest(tmp_path, "bob", "tiny") is None
    latest = records.latest(tmp_path, "ada", "tiny")
    assert latest is not None
    assert latest.submission_digest == "x"
    [event] = kept.events(kind=Kind.IMPORTED)
    assert event.why == "1 files of records/ taken over"


def test_what_was_forgotten_does_not_come_back(tmp_path: Path) -> None:
    write(tmp_path, "ada", "20260101T000000000000Z")
    kept = store(tmp_path)
    kept.forget("ada")
    take_over(tmp_path, kept)
    assert kept.history("ada", "tiny") == []


@pytest.mark.parametrize("text", ["{", '{"format": 99}', "[]", '{"format": 1}'])
def test_a_file_that_cannot_be_read_is_named_and_the_others_count(
    tmp_path: Path, text: str
) -> None:
    write(tmp_path, "ada", "20260101T000000000000Z")
    bad = write(tmp_path, "bob", "20260101T000000000000Z")
    bad.write_text(text)
    assert records.latest(tmp_path, "ada", "tiny") is not None
    assert records.latest(tmp_path, "bob", "tiny") is None
    [event] = store(tmp_path).events(kind=Kind.IMPORTED)
    assert "bob/tiny" in event.why


def test_it_is_all_or_nothing(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from hotloop.course.attempts import record_files

    for student in ("ada", "bob"):
        write(tmp_path, student, "20260101T000000000000Z")
    real = record_files.read

    def broken(path: Path) -> Any:
        if "bob" in path.parts:
            raise KeyboardInterrupt
        return real(path)

    monkeypatch.setattr(record_files, "read", broken)
    kept = Store(url)
    with pytest.raises(KeyboardInterrupt):
        take_over(tmp_path, kept)
    assert kept.events() == []
    monkeypatch.setattr(record_files, "read", real)
    take_over(tmp_path, kept)
    assert kept.published("bob", "tiny") is not None
