"""Data of the store: attempts, and the events about them."""

import getpass
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Self

from hotloop.core.record import Record, counts
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict

FORMAT = 1


@dataclass(frozen=True)
class Attempt:
    """One execution of a hand-in, with everything that the gradebook and the pages show of it.

    digest: SHA-256 of the hand-in. grader: SHA-256 of the code that judged it. machine: facts about
    the machine, by name. graded: when, with time zone. seconds: duration. handed_in: time as
    nbgrader recorded it, or "". records: by task; only those that count. variant: digest of what
    the course had given, as in `Circumstances`. notes: sentences for the learner about the hand-in.
    persons: judged tasks that a person must look at, whatever the judge said.

    notebook: as graded, in nbformat 4, without outputs; None if no notebook is graded. outputs: by
    code cell. files: text of the learner's own files, by path.

    id: None until the attempt is stored.
    """

    student: str
    module: str
    digest: str
    grader: str
    machine: Mapping[str, str | int]
    graded: datetime
    seconds: float
    records: Mapping[str, Record]
    variant: str = ""
    handed_in: str = ""
    notes: Sequence[str] = ()
    persons: Sequence[str] = ()
    notebook: Mapping[str, Any] | None = None
    outputs: Sequence[Sequence[Mapping[str, Any]]] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    id: int | None = None

    def __post_init__(self) -> None:
        for task, record in self.records.items():
            if not counts(record, self.variant):
                raise ValueError(
                    f"{task} was judged with another variant or a given seed, or for practice"
                )

    @property
    def number(self) -> int:
        """The id of a stored attempt."""
        assert self.id is not None
        return self.id

    @property
    def verdicts(self) -> frozenset[Verdict]:
        """The verdicts of all checks of all tasks."""
        return frozenset(check.verdict for r in self.records.values() for check in r.checks)

    def to_json(self) -> dict[str, Any]:
        """Return a document of plain JSON types, without `id`."""
        values = {name: value for name, value in vars(self).items() if name != "id"}
        return {
            "format": FORMAT,
            **values,
            "machine": dict(self.machine),
            "graded": self.graded.isoformat(),
            "records": {task: record.to_json() for task, record in self.records.items()},
            "notes": list(self.notes),
            "persons": list(self.persons),
            "outputs": [list(map(dict, cell)) for cell in self.outputs],
            "files": dict(self.files),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read the output of `to_json`. Raises ValueError for another format."""
        values = dict(document)
        if (version := values.pop("format")) != FORMAT:
            raise ValueError(f"an attempt of format {version!r}; this Hotloop reads {FORMAT}")
        records = values.pop("records").items()
        return cls(
            records={task: Record.from_json(record) for task, record in records},
            graded=datetime.fromisoformat(values.pop("graded")),
            **values,
        )


class Kind(StrEnum):
    """Kinds of events."""

    BEGUN = "begun"
    """A submission is being regraded: earlier attempts do not count until one is published."""
    PUBLISHED = "published"
    """This attempt counts from now on."""
    DROPPED = "dropped"
    """A person dropped an attempt: it does not count until it is restored."""
    RESTORED = "restored"
    """A person restored a dropped attempt."""
    SCHEDULED = "scheduled"
    """A due date was set for all, or as an extension for one learner."""
    MARKED = "marked"
    """A person gave points in formgrader or took them back, or changed a comment."""
    ASKED = "asked"
    """A learner requested another look at a task."""
    ANSWERED = "answered"
    """A person answered the request."""
    POINTS = "points"
    """What a module's checks are worth: as its first submission was entered, or as changed."""
    GPU_CHECKS = "gpu_checks"
    """What the course's checks that need a GPU are from now on."""
    LATE_HAND_INS = "late_hand_ins"
    """Which of a learner's hand-ins counts from now on, if one is late."""
    FORGOTTEN = "forgotten"
    """All data of one person was deleted; the event does not say whose."""


@dataclass(frozen=True)
class AttemptPoints:
    """Points of a submission. pending: points that are still open."""

    points: float
    pending: float


@dataclass(frozen=True)
class AuditEvent:
    """One line of the audit log, ordered by id.

    student, module: "" if it is about none. batch: name of the command run that it belongs to. old,
    new: None if unknown. document: what was set, for `Kind.POINTS`,
    `Kind.GPU_CHECKS` and `Kind.LATE_HAND_INS`.
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
    old: AttemptPoints | None
    new: AttemptPoints | None
    document: Mapping[str, Any] | None = None


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def batch_name(what: str) -> str:
    """Return a unique name for one run of a command, for the audit log."""
    return f"{what}-{now():%Y%m%dT%H%M%S%fZ}"


def require_reason(why: str) -> None:
    """Raise UserError if the reason for a change is empty."""
    if not why.strip():
        raise UserError("Say why: the audit log keeps the reason of every change.")


def account() -> str:
    """Return the user name of this process."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # In a container, the user id may have no name.
        return f"uid {os.getuid()}"
