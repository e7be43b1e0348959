"""What the judge is asked to do."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

from hotloop.judge.spec import TaskSpec


@dataclass(frozen=True)
class Job:
    """One task of one submission."""

    module: str
    task: str

    spec: TaskSpec
    """What module.yaml says of the task."""

    files: str | None = None
    """Folder of the submission on this machine."""

    listen: str | None = None
    """Path of a unix socket that the judge opens for the notebook's kernel."""

    notebook: str | None = None
    """Name of a notebook in `files` that the judge runs in a worker of its own instead."""

    freezer: Mapping[str, Any] | None = None
    """`Freezer.describe()` of the kernel's sandbox."""

    isolation: str = "bubblewrap"

    budget_s: float = 300.0

    rungs: Sequence[str] | None = None
    """Only these; None means all."""

    device: Literal["", "cpu"] = ""
    """"cpu": as on a machine without a GPU; empty for what this machine has."""

    threads: int | None = None
    """None lets the judge choose."""

    turns: bool = False
    """Other gradings may be at work: before it measures, the judge asks its parent for the machine.
    """

    submission_digest: str = ""

    variant: Mapping[str, Any] | None = None
    """`Variant.to_json()` of the candidate's, in a take-home."""

    source: str | None = None
    """Folder with the task's `tasks.py`; None means the module's own in `hotloop.checks`."""

    given: Mapping[str, str] = field(default_factory=dict[str, str])
    """SHA-256 of the files that a take-home's candidate started from, by name; empty in a course,
    where these are the module's exercise."""

    nsight: bool = False
    """Also run a candidate's kernels on a GPU under Nsight Compute and note its figures."""

    seed: str = ""
    """That of an earlier record, so that the same inputs are asked again; none is drawn anew."""

    def to_message(self) -> dict[str, Any]:
        """As the judge process reads it."""
        return {"op": "judge", **asdict(self)}

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """ValueError for a key that does not belong here."""
        given = {key: value for key, value in message.items() if key != "op"}
        given["spec"] = TaskSpec.from_message(given.get("spec", {}))
        if unknown := set(given) - {f.name for f in fields(cls)}:
            raise ValueError(f"a job has no {', '.join(sorted(unknown))}")
        return cls(**given)
