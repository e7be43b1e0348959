"""Which of a learner's attempts counts, which are dropped, and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from hotloop.course import records
from hotloop.course.attempts.attempt import Attempt, Event, Points
from hotloop.course.attempts.course_store import store


class State(StrEnum):
    """What an attempt is at present."""

    COUNTS = "counts"
    DROPPED = "dropped"
    EARLIER = "earlier"
    """It counted once, and may again where newer ones are dropped."""
    SHADOW = "shadow"
    """It never counted: a regrade made it, and did not publish it."""


@dataclass(frozen=True)
class Listed:
    """One attempt. points: without late penalty, and without what a person decided.

    handed_in: as nbgrader noted it; None for what was graded before that was kept. dropped: the
    event that says so, where it is.
    """

    id: int
    graded_at: datetime
    handed_in: str | None
    submission_digest: str
    grader_digest: str
    points: Points | None
    state: State
    dropped: Event | None = None


def attempts(root: Path, student: str, module: str) -> list[Listed]:
    """All attempts of a learner at a module, oldest first."""
    kept = store(root)
    counts = kept.published(student, module)
    dropped = kept.dropped(student, module)
    published = kept.published_ids(student, module)
    found: list[Listed] = []
    for attempt in kept.history(student, module):
        number = number_of(attempt)
        state = State.EARLIER if number in published else State.SHADOW
        if number in dropped:
            state = State.DROPPED
        elif counts is not None and number == counts.id:
            state = State.COUNTS
        found.append(_listed(attempt, state, dropped.get(number)))
    return found


def stands(root: Path, student: str, module: str) -> Attempt | None:
    """The newest attempt that counted once and is not dropped: what counts, or should."""
    kept = store(root)
    left = kept.published_ids(student, module) - kept.dropped(student, module).keys()
    return newest(root, student, module, left)


def newest(root: Path, student: str, module: str, numbers: frozenset[int]) -> Attempt | None:
    """Of the attempts with these numbers, the last that was made."""
    found = [a for a in store(root).history(student, module) if a.id in numbers]
    return max(found, key=number_of, default=None)


def is_dropped(root: Path, student: str, module: str, submission_digest: str) -> bool:
    """True when the newest attempt at this submission that ever counted is dropped."""
    kept = store(root)
    dropped = kept.dropped(student, module)
    if not dropped:
        return False
    published = kept.published_ids(student, module)
    numbers = [
        number_of(attempt)
        for attempt in kept.history(student, module)
        if attempt.submission_digest == submission_digest and attempt.id in published
    ]
    return max(numbers, default=0) in dropped


def all_dropped(root: Path, student: str, module: str) -> bool:
    """True when attempts were dropped, and none is left that could count."""
    kept = store(root)
    dropped = kept.dropped(student, module)
    return bool(dropped) and kept.published_ids(student, module) <= dropped.keys()


def number_of(attempt: Attempt) -> int:
    """The number of an attempt that is stored."""
    assert attempt.id is not None
    return attempt.id


def _listed(attempt: Attempt, state: State, dropped: Event | None) -> Listed:
    grading = records.read(attempt)
    return Listed(
        number_of(attempt),
        attempt.graded_at,
        grading.handed_in,
        attempt.submission_digest,
        attempt.grader_digest,
        records.points(grading),
        state,
        dropped,
    )
