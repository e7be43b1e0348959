"""Writes single events into a store, as the book does together with what they are about."""

from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import Attempt, AttemptPoints, AuditEvent, Kind
from hotloop.course.attempts.store import Store


def begin(
    store: Store, student: str, module: str, who: str = "", why: str = "", batch: str = ""
) -> AuditEvent:
    """Record that a submission is being regraded."""
    event = within.begun(student, module, who, why, batch)
    return store.write(lambda connection: within.note(connection, event))


def note(
    store: Store,
    kind: Kind,
    attempt: Attempt,
    who: str = "",
    why: str = "",
    old: AttemptPoints | None = None,
    new: AttemptPoints | None = None,
    batch: str = "",
) -> AuditEvent:
    """Record that an attempt is published, dropped or restored."""
    event = within.about(attempt, kind, who, why, batch, old, new)
    return store.write(lambda connection: within.note(connection, event))
