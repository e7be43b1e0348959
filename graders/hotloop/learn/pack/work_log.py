"""The candidate's work log: which check ran when, and how much had changed since the last event.

It is the readable file `work_log.jsonl` in the pack's folder, one line per event. It contains no
keystrokes and nothing about the machine, and code only of tasks with an open scale: the task's
files when their score is the best so far, which the team judges again. It is kept on the
candidate's machine, and can be edited there: it is the candidate's own account. The candidate can
omit it: `HOTLOOP_NO_WORK_LOG=1` writes none, `hotloop takehome submit --without-work-log` hands in
none.

    {"kind": "checked", "at": "2030-01-31T09:30:00.125Z", "task": "online_pass",
    "verdict": "passed", "points": 10.0, "possible": 10.0,
    "changes": {"lab.ipynb": {"added": 12, "removed": 3}}}

changes: lines of the file as last saved, compared with the previous event. files: of a version on
an open scale, those that differ from the version before.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError

from hotloop.core.document import Identifier, Strict
from hotloop.core.moment import Moment
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.learn.pack import manifest, work_summary
from hotloop.learn.pack.manifest import FileName, ForgedManifest
from hotloop.learn.pack.work_summary import LineCounts
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.problem import Score
from hotloop.verdicts.open_scale import score_of_record

NAME = "work_log.jsonl"
OFF = "HOTLOOP_NO_WORK_LOG"
LONGEST = 1 << 20
"""Most bytes of a log to read."""

MOST_LINES = 5000
"""Most lines to read; checks do not write as many within LONGEST."""

LONGEST_WITH_FILES = 768 << 10
"""Bytes of a log from which on no more files are kept: the rest is for its entries."""

MOST_IN_A_FILE = 64 << 10
"""Characters of a file that is kept."""

Kind = Literal["opened", "checked", "submitted"]
Points = Annotated[float, Field(ge=0, le=1e6)]


class WorkLogEntry(Strict):
    """One event. task, verdict, points, possible: for a check only. score: on an open scale."""

    kind: Kind
    at: Moment
    task: Identifier | None = None
    verdict: Verdict | None = None
    points: Points | None = None
    possible: Points | None = None
    score: Annotated[float, Field(ge=-10, le=10)] | None = None
    changes: Annotated[dict[FileName, LineCounts], Field(max_length=1000)] = Field(
        default_factory=dict[str, LineCounts]
    )
    files: Annotated[
        dict[FileName, Annotated[str, Field(max_length=MOST_IN_A_FILE)]], Field(max_length=20)
    ] = Field(default_factory=dict[str, str])


@dataclass(frozen=True)
class LoggedVersion:
    """A task's files when their score on an open scale was the best so far, by the log.

    minutes: since the log's first entry. files: all that the log knows by then.
    """

    minutes: float
    score: float
    files: Mapping[str, str]


@dataclass(frozen=True)
class WorkLog:
    """A parsed log. path: the file to append to, on the candidate's machine."""

    entries: tuple[WorkLogEntry, ...]
    path: Path | None = None

    @classmethod
    def open(cls, folder: Path) -> Self | None:
        """Open the log in a pack's folder, existing or not; None if no log is wanted.

        That is the case for a folder without a pack, or a role without logs.
        """
        if os.environ.get(OFF) == "1":
            return None
        try:
            pack = manifest.find(folder)
        except ForgedManifest:
            return None
        if pack is None or pack.manifest.work_log == "no":
            return None
        path = folder.resolve() / NAME
        return cls.read(_content(path), path)

    @classmethod
    def read(cls, data: bytes, path: Path | None = None) -> Self:
        """Parse a log from any data; lines that are no entry are left out."""
        entries: list[WorkLogEntry] = []
        for line in data[:LONGEST].split(b"\n", MOST_LINES)[:MOST_LINES]:
            with suppress(ValidationError):
                entries.append(WorkLogEntry.model_validate_json(line))
        return cls(tuple(entries), path)

    def note(self, kind: Kind, **facts: Any) -> None:
        """Append an entry with the changes since the last one. Raises OSError."""
        if self.path is None or len(self.entries) > MOST_LINES - 10:
            return
        before = _content(self.path)
        if len(before) > LONGEST - 64 * 1024:
            return
        changes = work_summary.since_last(self.path.parent)
        entry = WorkLogEntry(kind=kind, at=datetime.now(UTC), changes=changes, **facts)
        line = entry.model_dump_json(exclude_none=True).encode() + b"\n"
        # A crash may have cut off the last line.
        begin = b"" if before.endswith(b"\n") or not before else b"\n"
        # A single write in append mode, so that lines from two kernels do not mix.
        with self.path.open("ab", buffering=0) as stream:
            stream.write(begin + line)
        work_summary.remember(self.path.parent)


def note(folder: Path, kind: Kind, **facts: Any) -> None:
    """Append an entry to the log of the pack in `folder`, if it has one.

    Errors are ignored, so that a verdict is shown even if the log cannot be written.
    """
    with suppress(OSError, ValueError):
        log = WorkLog.open(folder)
        if log is not None:
            log.note(kind, **facts)


def note_check(folder: Path, record: Record, score: Score) -> None:
    """Append the judge's verdict on a task, with its files if they are a new version."""
    facts = {"task": record.task, "verdict": record.verdict, "score": score_of_record(record)}
    files: dict[str, str] = {}
    with suppress(OSError):
        files = _version(folder, record)
    note(folder, "checked", **facts, points=score.points, possible=score.possible, files=files)


def _version(folder: Path, record: Record) -> dict[str, str]:
    """Return the task's files that are new, if their score on an open scale is the best so far."""
    score, log = score_of_record(record), WorkLog.open(folder)
    if score is None or log is None or len(_content(folder / NAME)) > LONGEST_WITH_FILES:
        return {}
    known = versions(log, record.task)
    if known and score <= known[-1].score:
        return {}
    before: Mapping[str, str] = known[-1].files if known else {}
    files: dict[str, str] = {}
    for name in load_module(record.module).task(record.task).files:
        with suppress(OSError, UnicodeDecodeError):
            text = (folder / name).read_text(encoding="utf-8")
            if name != NOTEBOOK and len(text) <= MOST_IN_A_FILE and before.get(name) != text:
                files[name] = text
    return files


def _content(path: Path) -> bytes:
    """Read the file, at most one byte over the limit, to detect a longer one."""
    try:
        with path.open("rb") as stream:
            return stream.read(LONGEST + 1)
    except FileNotFoundError:
        return b""


def improvements(log: WorkLog | None, task: str) -> list[tuple[float, float]]:
    """Return minutes since the first entry, and the score, whenever it was the best so far."""
    best: list[tuple[float, float]] = []
    for entry in log.entries if log is not None else ():
        if entry.task == task and entry.score is not None:
            assert log is not None
            minutes = (entry.at - log.entries[0].at) / timedelta(minutes=1)
            if not best or entry.score > best[-1][1]:
                best.append((round(minutes, 1), entry.score))
    return best


def versions(log: WorkLog | None, task: str) -> list[LoggedVersion]:
    """Return the versions of a task with an open scale that the log holds, in order."""
    found: list[LoggedVersion] = []
    for entry in log.entries if log is not None else ():
        if entry.task == task and entry.score is not None and entry.files:
            assert log is not None
            minutes = round((entry.at - log.entries[0].at) / timedelta(minutes=1), 1)
            before: Mapping[str, str] = found[-1].files if found else {}
            found.append(LoggedVersion(minutes, entry.score, {**before, **entry.files}))
    return found


LONGEST_PAUSE = timedelta(minutes=30)
"""A longer pause between two entries counts as this long."""


def active_minutes(log: WorkLog | None) -> dict[str, float]:
    """Estimate the minutes per task: the time before each of its checks, with long pauses cut.

    Time without a check counts for the task that is checked next. Empty without a log.
    """
    if log is None:
        return {}
    by_task: dict[str, float] = {}
    waiting = timedelta()
    for before, entry in zip(log.entries, log.entries[1:], strict=False):
        waiting += min(max(entry.at - before.at, timedelta()), LONGEST_PAUSE)
        if entry.kind == "checked" and entry.task is not None:
            minutes = waiting / timedelta(minutes=1)
            by_task[entry.task] = round(by_task.get(entry.task, 0.0) + minutes, 1)
            waiting = timedelta()
    return by_task
