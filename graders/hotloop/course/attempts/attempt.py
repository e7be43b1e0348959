"""What the store keeps: attempts, and the events that say what became of them."""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum


@dataclass(frozen=True)
class Attempt:
    """One execution of one submission. Everything but `id` is given by whoever stores it.

    submission_digest: of what was handed in. grader_digest: of the code that judged it.
    environment: digest of what it ran on; `Store.environment` has it in words. seed: tells two
    executions of the same submission apart. graded_at: when, with its time zone. seconds: how long
    it took. device, isolation: as records state them. document: what was found, as JSON text. id:
    None until it is stored.
    """

    student: str
    module: str
    submission_digest: str
    grader_digest: str
    environment: str
    seed: str
    graded_at: datetime
    seconds: float
    device: str
    isolation: str
    document: str
    id: int | None = None


class Kind(StrEnum):
    """What happened."""

    BEGUN = "begun"
    """A submission is being graded anew: its older attempts do not count until one is published."""
    PUBLISHED = "published"
    """An attempt is what counts."""
    DROPPED = "dropped"
    """A person took an attempt out: it counts no more, until it is restored."""
    RESTORED = "restored"
    """A person took a dropped attempt back."""
    IMPORTED = "imported"
    """Record files of an earlier version were taken over."""
    FORGOTTEN = "forgotten"
    """All of one person was deleted; who it was is not said."""


@dataclass(frozen=True)
class Points:
    """What a submission is worth, and how much of it is still open."""

    points: float
    pending: float


@dataclass(frozen=True)
class Event:
    """One line of the audit log. id gives the order. student and module are empty where it is about
    none; batch: names the command that it was part of. old, new: None where they were not known.
    """

    id: int
    at: datetime
    who: str
    kind: Kind
    student: str
    module: str
    attempt_id: int | None
    batch: str
    why: str
    old: Points | None
    new: Points | None


@dataclass(frozen=True)
class Environment:
    """What attempts were made on. document: JSON text that people can read."""

    digest: str
    document: str


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def account() -> str:
    """Who runs this process."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a number that has no name.
        return f"uid {os.getuid()}"
