"""Takes over the gradings that earlier versions kept in files: once a course. The files stay.

`records/<student>/<module>/<submission digest>-<time>.json`, and beside them `begun`, the time at
which a grading began that may never have ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from hotloop.course.attempts import tables
from hotloop.course.attempts.attempt import Attempt, Event, Kind, account, now
from hotloop.course.attempts.store import Store, add, note

FOLDER = "records"
UNKNOWN = "unknown"
"""Stands for grader and environment of what was graded before anybody kept them."""
TIME = "%Y%m%dT%H%M%S%fZ"
"""As times stand in the names of such files; in UTC."""

_FORMAT = 1
_BEGUN = "begun"


def take_over(root: Path, store: Store) -> None:
    """Store what is in the files of the course at `root`, unless that was done before."""
    store.write(lambda connection: _take_over(connection, root / FOLDER))


def read(path: Path) -> Attempt:
    """One file. ValueError when it is not of this format."""
    text = path.read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    if document.get("format") != _FORMAT:
        raise ValueError(f"{path}: format {document.get('format')!r} is not {_FORMAT}")
    about = [record["circumstances"] for record in document["records"].values()]
    return Attempt(
        student=document["student"],
        module=document["module"],
        submission_digest=document["submission_digest"],
        grader_digest=UNKNOWN,
        environment=UNKNOWN,
        seed=document["graded"],
        graded_at=datetime.strptime(document["graded"], TIME).replace(tzinfo=UTC),
        seconds=sum(float(each["seconds"]) for each in about),
        device=about[0]["device"] if about else "",
        isolation=about[0]["isolation"] if about else "",
        document=text,
    )


def _take_over(connection: Connection, folder: Path) -> None:
    done = select(tables.events.c.id).where(tables.events.c.kind == Kind.IMPORTED.value)
    if connection.execute(done).first() is not None:
        return
    files, unread = 0, list[str]()
    for work in sorted(path for path in folder.glob("*/*") if path.is_dir()):
        newest: Attempt | None = None
        for path in sorted(work.glob("*.json"), key=_time_of):
            try:
                newest = add(connection, read(path))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                unread.append(f"{path.relative_to(folder)} ({type(error).__name__}: {error})")
                continue
            files += 1
        for event in _events(work, newest):
            note(connection, event)
    said = f"{files} files of {FOLDER}/ taken over"
    note(connection, _event(Kind.IMPORTED, "; not read: ".join([said, *unread])))


def _events(work: Path, newest: Attempt | None) -> Iterator[Event]:
    """What counted, and whether a grading began after it."""
    begun = work / _BEGUN
    at = begun.read_text(encoding="utf-8").strip() if begun.is_file() else ""
    if newest is not None:
        yield _event(Kind.PUBLISHED, "taken over", newest)
        if at > newest.seed:
            yield _event(Kind.BEGUN, "taken over", newest)


def _event(kind: Kind, why: str, about: Attempt | None = None) -> Event:
    return Event(
        id=0,
        at=now(),
        who=account(),
        kind=kind,
        student=about.student if about is not None else "",
        module=about.module if about is not None else "",
        attempt_id=about.id if about is not None and kind is Kind.PUBLISHED else None,
        batch="",
        why=why,
        old=None,
        new=None,
    )


def _time_of(path: Path) -> str:
    return path.stem.rpartition("-")[2]
