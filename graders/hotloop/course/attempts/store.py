"""The store of attempts, and of events that determine which attempt counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    Engine,
    Row,
    Select,
    delete,
    func,
    insert,
    select,
)
from sqlalchemy.exc import DBAPIError

from hotloop.core.transactions import reading, writing
from hotloop.course.attempts import tables
from hotloop.course.attempts.attempt import Attempt, AttemptPoints, AuditEvent, Kind, account, now
from hotloop.course.attempts.connection import connect
from hotloop.course.attempts.database import database
from hotloop.course.attempts.database_retry import patiently
from hotloop.course.attempts.schema import make_tables

PATIENCE_S = 60.0
"""Seconds to wait for a database that is locked, full or restarting."""

KEY = ("student", "module", "digest", "grader", "graded")
"""The columns that identify an attempt."""

_MISSING_TABLE = "no such table: hotloop_"
_UNDEFINED_TABLE = "42P01"

ResultT = TypeVar("ResultT")


def store(root: Path) -> Store:
    """Return the store of the course at `root`; one per process and database."""
    return _store(database(root))


@lru_cache(maxsize=64)
def _store(url: str) -> Store:
    return Store(url)


class Store:
    """Attempts and events in a gradebook's database, both append-only.

    While the database is locked, full or restarting, each method waits for up to `patience_s`
    seconds and then raises StoreUnavailable. Data is stored if and only if the method returns.
    """

    def __init__(self, url: str, patience_s: float = PATIENCE_S) -> None:
        self._engine = connect(url)
        self._patience_s = patience_s
        self._is_ready = False

    # --- attempts

    def add(self, attempt: Attempt) -> Attempt:
        """Store an attempt; if one with the same key exists, return that one."""
        return self.write(lambda connection: add(connection, attempt))

    def history(self, student: str, module: str) -> list[Attempt]:
        """Return all attempts of a learner at a module, published or not, oldest first."""
        return self.read(lambda connection: history(connection, student, module))

    def published(self, student: str, module: str) -> Attempt | None:
        """Return the attempt that counts, or None.

        None also means that the submission is being regraded, or was dropped.
        """
        return self.read(lambda connection: published(connection, student, module))

    def published_ids(self, student: str, module: str) -> frozenset[int]:
        """Return the ids of all attempts that count or once counted."""
        return self.read(lambda connection: published_ids(connection, student, module))

    def dropped(self, student: str, module: str) -> dict[int, AuditEvent]:
        """Return the dropped attempts by id, each with the event that dropped it."""
        return self.read(lambda connection: dropped(connection, student, module))

    # --- events

    def events(
        self,
        *,
        student: str | None = None,
        module: str | None = None,
        kind: Kind | None = None,
        batch: str | None = None,
    ) -> list[AuditEvent]:
        """Return the events that match, oldest first."""
        columns = tables.events.c
        wanted = {
            "student": student,
            "module": module,
            "kind": kind.value if kind is not None else None,
            "batch": batch,
        }
        query = select(tables.events).order_by(columns.id)
        for name, value in wanted.items():
            if value is not None:
                query = query.where(columns[name] == value)
        rows = self.read(lambda connection: connection.execute(query).all())
        return [_to_event(row) for row in rows]

    def known(self) -> frozenset[tuple[str, str]]:
        """Return learner and module of all submissions that have an event."""
        query = select(tables.events.c.student, tables.events.c.module).distinct()
        rows = self.read(lambda connection: connection.execute(query).all())
        return frozenset((row.student, row.module) for row in rows)

    # --- how all of it is done

    def read(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """Run `work` in a read transaction and return its result. It may run more than once."""
        return self._do(reading, work)

    def write(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """Run `work` in an exclusive write transaction and return its result.

        It may run more than once, even after a commit, since a server that stops at that moment
        does not report whether it committed. So it must check what exists before it adds to it.
        """
        return self._do(writing, work)

    def _do(
        self,
        transaction: Callable[[Engine], AbstractContextManager[Connection]],
        work: Callable[[Connection], ResultT],
    ) -> ResultT:
        def once() -> ResultT:
            with transaction(self._engine) as connection:
                return work(connection)

        def ready() -> ResultT:
            if not self._is_ready:
                make_tables(self._engine)
                self._is_ready = True
            try:
                return once()
            except DBAPIError as error:
                if not _lacks_tables(error):
                    raise
            # The database was replaced since this process made its tables.
            make_tables(self._engine)
            return once()

        return patiently(ready, self._patience_s)


# --- events that are still to be written: their numbers are not known ----------------------------


def begun(student: str, module: str, who: str = "", why: str = "", batch: str = "") -> AuditEvent:
    """Return the event that a submission is being regraded. who: default: this process's user."""
    return _event(Kind.BEGUN, who, why, batch, student=student, module=module)


def scheduled(module: str, students: Iterable[str], why: str, batch: str) -> list[AuditEvent]:
    """Return the events for a due date: one per learner, or one with an empty name for all."""
    return [
        _event(Kind.SCHEDULED, "", why, batch, student=student, module=module)
        for student in students
    ]


def marked(student: str, module: str, why: str, batch: str = "") -> AuditEvent:
    """Return the event that a person gave points, or changed a comment."""
    return _event(Kind.MARKED, "", why, batch, student=student, module=module)


def about_course(
    kind: Kind, module: str, why: str, batch: str, document: Mapping[str, Any]
) -> AuditEvent:
    """Return the event that something was set for all learners."""
    return replace(_event(kind, "", why, batch, module=module), document=document)


def requested(student: str, module: str, why: str, name: str) -> AuditEvent:
    """Return the event of a learner's request. name: of the request, shared with its answer."""
    return _event(Kind.ASKED, student, why, name, student=student, module=module)


def answered(request: AuditEvent, why: str) -> AuditEvent:
    """Return the event that a person answered a request."""
    about_it = {"student": request.student, "module": request.module}
    return _event(Kind.ANSWERED, "", why, request.batch, **about_it)


def about(
    attempt: Attempt,
    kind: Kind,
    who: str = "",
    why: str = "",
    batch: str = "",
    old: AttemptPoints | None = None,
    new: AttemptPoints | None = None,
) -> AuditEvent:
    """Return an event about an attempt. Raises ValueError if the attempt is not stored."""
    if attempt.id is None:
        raise ValueError(f"only what is stored can be {kind.value}: add it first")
    event = _event(kind, who, why, batch, student=attempt.student, module=attempt.module)
    return replace(event, attempt_id=attempt.id, old=old, new=new)


# --- within a transaction -------------------------------------------------------------------------


def add(connection: Connection, attempt: Attempt) -> Attempt:
    """Do `Store.add` inside a write transaction."""
    key = [getattr(attempt, name) for name in KEY]
    query = _attempts().where(*_is(KEY, key))
    if stored := _read_attempts(connection, query):
        return stored[0]
    document = json.dumps(attempt.to_json())
    values = dict(zip(KEY, key, strict=True)) | {"document": document}
    return _attempt(_number(connection.execute(insert(tables.attempts).values(**values))), document)


def note(connection: Connection, event: AuditEvent) -> AuditEvent:
    """Write an event inside a write transaction unless it exists; return the stored event."""
    columns = tables.events.c
    names = ("at", "kind", "student", "module", "attempt_id")
    same = [columns[name] == getattr(event, name) for name in names]
    query = select(tables.events).where(*same).order_by(columns.id)
    if (row := connection.execute(query).first()) is not None:
        return _to_event(row)
    added = connection.execute(insert(tables.events).values(**_values(event)))
    return replace(event, id=_number(added))


def history(connection: Connection, student: str, module: str) -> list[Attempt]:
    """Do `Store.history` inside a transaction."""
    return _read_attempts(connection, _attempts().where(*_is(KEY[:2], (student, module))))


def published(connection: Connection, student: str, module: str) -> Attempt | None:
    """Do `Store.published` inside a transaction."""
    newest = _newest(connection, student, module, (Kind.BEGUN, Kind.PUBLISHED))
    if newest is None:
        return None
    query = _dropped_now(tables.events.c.attempt_id == newest.id)
    return newest if connection.execute(query).first() is None else None


def newest(connection: Connection, kind: Kind, module: str) -> AuditEvent | None:
    """Return the newest event of this kind about a module, or with "" about the course."""
    columns = tables.events.c
    query = (
        select(tables.events)
        .where(columns.kind == kind.value, columns.student == "", columns.module == module)
        .order_by(columns.id.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    return _to_event(row) if row is not None else None


def is_begun(connection: Connection, student: str, module: str) -> bool:
    """True while a submission is being regraded."""
    columns = tables.events.c
    query = (
        select(columns.kind)
        .where(columns.student == student, columns.module == module)
        .where(columns.kind.in_([Kind.BEGUN.value, Kind.PUBLISHED.value]))
        .order_by(columns.id.desc())
        .limit(1)
    )
    return connection.execute(query).scalar_one_or_none() == Kind.BEGUN.value


def last_published(connection: Connection, student: str, module: str) -> Attempt | None:
    """Return the attempt that counts, or that counted before regrading began, or None."""
    return _newest(connection, student, module, (Kind.PUBLISHED,))


def published_ids(connection: Connection, student: str, module: str) -> frozenset[int]:
    """Do `Store.published_ids` inside a transaction."""
    columns = tables.events.c
    query = select(columns.attempt_id).where(
        columns.student == student,
        columns.module == module,
        columns.kind == Kind.PUBLISHED.value,
    )
    return frozenset(connection.execute(query).scalars())


def dropped(connection: Connection, student: str, module: str) -> dict[int, AuditEvent]:
    """Do `Store.dropped` inside a transaction."""
    columns = tables.events.c
    last = _last_words(columns.student == student, columns.module == module)
    query = select(tables.events).where(columns.id.in_(last), columns.kind == Kind.DROPPED.value)
    return {row.attempt_id: _to_event(row) for row in connection.execute(query)}


def forget(connection: Connection, student: str) -> AuditEvent:
    """Delete all attempts and events of a person; nothing else deletes data.

    An event remains that says how much was deleted and by whom, but not whose it was. nbgrader's
    own tables are not touched.
    """
    connection.execute(insert(tables.forgetting).values(student=student))
    # Events reference attempts, so they are deleted first.
    events, attempts = [
        connection.execute(delete(table).where(table.c.student == student)).rowcount
        for table in (tables.events, tables.attempts)
    ]
    connection.execute(delete(tables.forgetting).where(tables.forgetting.c.student == student))
    summary = f"{attempts} attempts and {events} events were deleted"
    return note(connection, _event(Kind.FORGOTTEN, "", summary, ""))


def _newest(
    connection: Connection, student: str, module: str, kinds: tuple[Kind, ...]
) -> Attempt | None:
    """Return the attempt of the newest event of these kinds, or None if it has none."""
    columns = tables.events.c
    query = (
        select(columns.attempt_id)
        .where(columns.student == student, columns.module == module)
        .where(columns.kind.in_([kind.value for kind in kinds]))
        .order_by(columns.id.desc())
        .limit(1)
    )
    number = connection.execute(query).scalar_one_or_none()
    if number is None:
        return None
    return _read_attempts(connection, _attempts().where(tables.attempts.c.id == number))[0]


def _last_words(*about: ColumnElement[bool]) -> Select[Any]:
    """Select the latest drop or restore event of each attempt.

    about: restricts the events, so that an index is used.
    """
    columns = tables.events.c
    return (
        select(func.max(columns.id))
        .where(columns.kind.in_([Kind.DROPPED.value, Kind.RESTORED.value]), *about)
        .group_by(columns.attempt_id)
    )


def _dropped_now(*about: ColumnElement[bool]) -> Select[Any]:
    """Select the ids of the dropped attempts."""
    columns = tables.events.c
    return select(columns.attempt_id).where(
        columns.id.in_(_last_words(*about)), columns.kind == Kind.DROPPED.value
    )


def _attempts() -> Select[Any, Any]:
    columns = tables.attempts.c
    return select(columns.id, columns.document).order_by(columns.graded, columns.id)


def _is(names: tuple[str, ...], values: Any) -> list[Any]:
    columns = tables.attempts.c
    return [columns[name] == value for name, value in zip(names, values, strict=True)]


def _read_attempts(connection: Connection, query: Select[Any, Any]) -> list[Attempt]:
    return [_attempt(row.id, row.document) for row in connection.execute(query)]


def _attempt(number: int, document: str) -> Attempt:
    return replace(Attempt.from_json(json.loads(document)), id=number)


def _event(
    kind: Kind, who: str, why: str, batch: str, *, student: str = "", module: str = ""
) -> AuditEvent:
    who = who or account()
    return AuditEvent(0, now(), who, kind, student, module, None, batch, why, old=None, new=None)


def _number(added: CursorResult[Any]) -> int:
    """Return the id of the inserted row."""
    assert added.inserted_primary_key is not None
    return added.inserted_primary_key[0]


def _values(event: AuditEvent) -> dict[str, Any]:
    values = {name: getattr(event, name) for name in ("at", "who", "student", "module", "why")}
    values |= {"kind": event.kind.value, "attempt_id": event.attempt_id, "batch": event.batch}
    for when, points in (("old", event.old), ("new", event.new)):
        values[f"{when}_points"] = points.points if points is not None else None
        values[f"{when}_pending"] = points.pending if points is not None else None
    values["document"] = json.dumps(event.document) if event.document is not None else None
    return values


def _to_event(row: Row[Any]) -> AuditEvent:
    return AuditEvent(
        row.id,
        row.at,
        row.who,
        Kind(row.kind),
        row.student,
        row.module,
        row.attempt_id,
        row.batch,
        row.why,
        _points(row.old_points, row.old_pending),
        _points(row.new_points, row.new_pending),
        json.loads(row.document) if row.document is not None else None,
    )


def _points(points: float | None, pending: float | None) -> AttemptPoints | None:
    return AttemptPoints(points, pending or 0.0) if points is not None else None


def _lacks_tables(error: DBAPIError) -> bool:
    state = getattr(error.orig, "sqlstate", None)
    return state == _UNDEFINED_TABLE or _MISSING_TABLE in str(error.orig)
