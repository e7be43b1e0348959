"""What the store keeps: attempts, and the events that say what became of them."""

import getpass
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Self

from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict

FORMAT = 1


@dataclass(frozen=True)
class Attempt:
    """One execution of one hand-in, and all that the gradebook and the pages show of it.

    digest: SHA-256 of what was handed in. grader: SHA-256 of the code that judged it. machine: what
    it ran on, by name. graded: when, with its time zone. seconds: how long it took. handed_in:
    when, as nbgrader noted it; empty for no time. records: by task. notes: sentences to the learner
    on the hand-in.

    notebook: as it was graded, in nbformat 4, without outputs; None where no notebook is graded.
    outputs: by code cell. files: the text of the learner's own files, by path.

    id: None until it is stored.
    """

    student: str
    module: str
    digest: str
    grader: str
    machine: Mapping[str, str | int]
    graded: datetime
    seconds: float
    records: Mapping[str, Record]
    handed_in: str = ""
    notes: Sequence[str] = ()
    notebook: Mapping[str, Any] | None = None
    outputs: Sequence[Sequence[Mapping[str, Any]]] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    id: int | None = None

    @property
    def number(self) -> int:
        """The id of an attempt that is stored."""
        assert self.id is not None
        return self.id

    @property
    def verdicts(self) -> frozenset[Verdict]:
        """Those of all rungs of all tasks."""
        return frozenset(rung.verdict for r in self.records.values() for rung in r.rungs)

    def to_json(self) -> dict[str, Any]:
        """A document of plain JSON types; `id` is no part of it."""
        return {
            "format": FORMAT,
            "student": self.student,
            "module": self.module,
            "digest": self.digest,
            "grader": self.grader,
            "machine": dict(self.machine),
            "graded": self.graded.isoformat(),
            "seconds": self.seconds,
            "records": {task: record.to_json() for task, record in self.records.items()},
            "handed_in": self.handed_in,
            "notes": list(self.notes),
            "notebook": self.notebook,
            "outputs": [list(map(dict, cell)) for cell in self.outputs],
            "files": dict(self.files),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote. ValueError for another format."""
        values = dict(document)
        if (found := values.pop("format")) != FORMAT:
            raise ValueError(f"an attempt of format {found!r}; this Hotloop reads {FORMAT}")
        records = values.pop("records").items()
        return cls(
            records={task: Record.from_json(record) for task, record in records},
            graded=datetime.fromisoformat(values.pop("graded")),
            **values,
        )


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
    SCHEDULED = "scheduled"
    """A due date was set, for all or, as an extension, for one."""
    MARKED = "marked"
    """A person gave points, or took them back, in formgrader."""
    ASKED = "asked"
    """A learner asked for another look at a task."""
    ANSWERED = "answered"
    """A person answered that."""
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


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def batch_name(what: str) -> str:
    """What the audit log calls one run of a command."""
    return f"{what}-{now():%Y%m%dT%H%M%S%fZ}"


def require_reason(why: str) -> None:
    """UserError for a change of what counts without a reason."""
    if not why.strip():
        raise UserError("Say why: the audit log keeps the reason of every change.")


def account() -> str:
    """Who runs this process."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a number that has no name.
        return f"uid {os.getuid()}"
