"""The state of a learner's attempts: which one counts, and which are dropped."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from sqlalchemy import Connection

from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import Attempt, AttemptPoints, AuditEvent, Kind
from hotloop.course.attempts.store import store
from hotloop.course.hand_in import HandIn
from hotloop.course.points import of_attempt
from hotloop.course.worth import LateHandIns, late_hand_ins, of_course

OF_COURSE = (Kind.GPU_CHECKS, Kind.LATE_HAND_INS)
"""What is set for all modules."""

ZERO, ZERO_TAKEN_BACK = "zero", "zero_taken_back"
"""Beginnings of the names, in the audit log, of the commands that set all points to 0, and back."""


class AttemptState(StrEnum):
    """State of an attempt."""

    COUNTS = "counts"
    DROPPED = "dropped"
    EARLIER = "earlier"
    """It counted once, and may count again if newer ones are dropped."""
    SHADOW = "shadow"
    """It never counted: a regrade made it and did not publish it."""


@dataclass(frozen=True)
class ListedAttempt:
    """One attempt. points: without late penalty and manual changes.

    dropped: the event that dropped it, or None.
    """

    id: int
    graded: datetime
    handed_in: str
    digest: str
    grader: str
    points: AttemptPoints | None
    state: AttemptState
    dropped: AuditEvent | None = None


def attempts(root: Path, student: str, module: str) -> list[ListedAttempt]:
    """Return all attempts of a learner at a module, oldest first."""
    recorded = store(root)
    counts = recorded.published(student, module)
    dropped = recorded.dropped(student, module)
    published = recorded.published_ids(student, module)
    worth = recorded.read(lambda connection: of_course(connection, module))
    listed: list[ListedAttempt] = []
    for attempt in recorded.history(student, module):
        number = attempt.number
        state = AttemptState.EARLIER if number in published else AttemptState.SHADOW
        if number in dropped:
            state = AttemptState.DROPPED
        elif counts is not None and number == counts.number:
            state = AttemptState.COUNTS
        listed.append(
            ListedAttempt(
                number,
                attempt.graded,
                attempt.handed_in,
                attempt.digest,
                attempt.grader,
                of_attempt(attempt, worth),
                state,
                dropped.get(number),
            )
        )
    return listed


def log(root: Path, student: str | None = None, module: str | None = None) -> list[AuditEvent]:
    """Return the audit events of a course, oldest first.

    student, module: only theirs, with those that were set for all.
    """
    recorded = store(root)
    if student is None:
        return recorded.events(module=module)
    events = [
        *recorded.events(student=student, module=module),
        *recorded.events(student="", module=module),
        *(each for kind in OF_COURSE if module for each in recorded.events(kind=kind)),
    ]
    return sorted(events, key=lambda event: event.id)


def hand_ins(connection: Connection, student: str, module: str) -> list[Attempt]:
    """Return the newest attempt at each hand-in of a learner, of those that may count."""
    may_count = within.published_ids(connection, student, module)
    may_count -= within.dropped(connection, student, module).keys()
    known = within.history(connection, student, module)
    by_time = {attempt.handed_in: attempt for attempt in known if attempt.id in may_count}
    return list(by_time.values())


def at_hand_in(root: Path, hand_in: HandIn, counts: Attempt | None) -> Attempt | None:
    """Return the attempt at what is handed in now.

    Where the better total counts, that need not be the one that counts. Otherwise it is taken for
    that: what it does not fit is graded.
    """

    def work(connection: Connection) -> Attempt | None:
        if late_hand_ins(connection) is not LateHandIns.BETTER:
            return counts
        own = hand_ins(connection, hand_in.student, hand_in.module)
        return next((one for one in own if one.digest == hand_in.digest), None)

    is_same = counts is None or counts.digest == hand_in.digest
    return counts if is_same else store(root).read(work)


def newest(root: Path, student: str, module: str, numbers: frozenset[int]) -> Attempt | None:
    """Return the newest of the attempts with these ids, or None."""
    known = [a for a in store(root).history(student, module) if a.id in numbers]
    return max(known, key=lambda attempt: attempt.number, default=None)


def is_dropped(root: Path, student: str, module: str, digest: str) -> bool:
    """True if the newest attempt at this submission that ever counted is dropped."""
    recorded = store(root)
    dropped = recorded.dropped(student, module)
    if not dropped:
        return False
    published = recorded.published_ids(student, module)
    numbers = [
        attempt.number
        for attempt in recorded.history(student, module)
        if attempt.digest == digest and attempt.id in published
    ]
    return max(numbers, default=0) in dropped


def all_dropped(root: Path, student: str, module: str) -> bool:
    """True if attempts were dropped and none is left that could count."""
    recorded = store(root)
    dropped = recorded.dropped(student, module)
    return bool(dropped) and recorded.published_ids(student, module) <= dropped.keys()


def zero_reason(root: Path, student: str, module: str) -> str:
    """Return why a person set all points of this work to 0; "" if nobody did."""
    marks = store(root).events(student=student, module=module, kind=Kind.MARKED)
    zeros = [mark for mark in marks if mark.batch.startswith(ZERO)]
    if not zeros or zeros[-1].batch.startswith(ZERO_TAKEN_BACK):
        return ""
    return zeros[-1].why.partition("\n")[0]
