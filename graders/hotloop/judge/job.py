"""What the judge is asked to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self


@dataclass(frozen=True)
class Job:
    """One task of one submission.

    files: folder of the submission on this machine. listen: path of a unix socket that the judge
    opens for the notebook's kernel. notebook: name of a notebook in `files` that the judge runs in
    a worker of its own instead. freezer: `Freezer.describe()` of the kernel's sandbox.
    rungs: only these; None means all. threads: None lets the judge choose.
    turns: other gradings may be at work: before it measures, the judge asks its parent for the
    machine.
    variant: `Variant.to_json()` of the candidate's, in a take-home.
    given: SHA-256 of the files that a take-home's candidate started from, by name; empty in a
    course, where these are the module's exercise.
    seed: that of an earlier record, so that the same inputs are asked again; none is drawn anew.
    """

    module: str
    task: str
    files: str | None = None
    listen: str | None = None
    notebook: str | None = None
    freezer: Mapping[str, Any] | None = None
    isolation: str = "bubblewrap"
    budget_s: float = 300.0
    rungs: Sequence[str] | None = None
    threads: int | None = None
    turns: bool = False
    submission_digest: str = ""
    variant: Mapping[str, Any] | None = None
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    seed: str = ""

    def to_message(self) -> dict[str, Any]:
        """As the judge process reads it."""
        return {"op": "judge", **asdict(self)}

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """ValueError for a key that does not belong here."""
        given = {key: value for key, value in message.items() if key != "op"}
        if unknown := set(given) - {f.name for f in fields(cls)}:
            raise ValueError(f"a job has no {', '.join(sorted(unknown))}")
        return cls(**given)
