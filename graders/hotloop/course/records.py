"""Keeps the judge's records of a course: one file a grading, never changed, never removed.

`records/<student>/<module>/<submission digest>-<time>.json`
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.judge.record import Record

FOLDER = "records"
FORMAT = 1
_BEGUN = "begun"


@dataclass(frozen=True)
class Grading:
    """What one grading of one submission said. notes: about the hand-in, to the learner."""

    student: str
    module: str
    submission_digest: str
    graded: str
    notes: Sequence[str]
    records: Mapping[str, Record]


def keep(root: Path, grading: Grading) -> Path:
    """Write a grading and return its file. FileExistsError rather than overwrite one."""
    folder = root / FOLDER / grading.student / grading.module
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{grading.submission_digest[:12] or 'none'}-{grading.graded}.json"
    document = {
        "format": FORMAT,
        "student": grading.student,
        "module": grading.module,
        "submission_digest": grading.submission_digest,
        "graded": grading.graded,
        "notes": list(grading.notes),
        "records": {task: record.to_json() for task, record in grading.records.items()},
    }
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(document, indent=1), encoding="utf-8")
    # A link refuses to replace a file, and appears whole or not at all.
    os.link(partial, path)
    partial.unlink()
    return path


def begin(root: Path, student: str, module: str) -> None:
    """Note that a grading begins: until it ends, older ones do not count any more."""
    folder = root / FOLDER / student / module
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _BEGUN).write_text(now(), encoding="utf-8")


def latest(root: Path, student: str, module: str) -> Grading | None:
    """The newest grading of a submission; None when there is none, or the newest never ended."""
    files = history(root, student, module)
    if not files:
        return None
    begun = root / FOLDER / student / module / _BEGUN
    if begun.is_file() and begun.read_text(encoding="utf-8") > _time_of(files[-1]):
        return None
    return read(files[-1])


def history(root: Path, student: str, module: str) -> list[Path]:
    """The files of all gradings of a submission, oldest first."""
    folder = root / FOLDER / student / module
    return sorted(folder.glob("*.json"), key=_time_of)


def read(path: Path) -> Grading:
    """Read one file. ValueError when it is not of this format."""
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if document.get("format") != FORMAT:
        raise ValueError(f"{path}: format {document.get('format')!r} is not {FORMAT}")
    return Grading(
        student=document["student"],
        module=document["module"],
        submission_digest=document["submission_digest"],
        graded=document["graded"],
        notes=tuple(document["notes"]),
        records={task: Record.from_json(r) for task, r in document["records"].items()},
    )


def _time_of(path: Path) -> str:
    return path.stem.rpartition("-")[2]


def now() -> str:
    """The time of a grading, as it stands in file names: UTC, to the microsecond."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
