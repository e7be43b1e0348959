"""The request that the judge process receives."""

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
    """The task's part of module.yaml."""

    files: str | None = None
    """Folder with the submission's files."""

    listen: str | None = None
    """Path of a Unix socket that the judge opens for the notebook's kernel."""

    notebook: str | None = None
    """Name of a notebook in `files` that the judge runs in its own worker, instead of a live
    kernel."""

    freezer: Mapping[str, Any] | None = None
    """`Freezer.describe()` of the kernel's sandbox."""

    isolation: str = "bubblewrap"

    budget_s: float = 300.0

    checks: Sequence[str] | None = None
    """Names of the checks to judge; None means all."""

    device: Literal["", "cpu"] = ""
    """ "cpu" judges as on a machine without a GPU; empty uses what this machine has."""

    threads: int | None = None
    """Number of worker threads; None lets the judge choose."""

    turns: bool = False
    """True if other gradings may be running: before it measures, the judge asks its parent for
    exclusive use of the machine."""

    submission_digest: str = ""

    variant: Mapping[str, Any] | None = None
    """`Variant.to_json()` of a take-home candidate."""

    source: str | None = None
    """Folder with the task's `tasks.py`; None means the module's own in `hotloop.tasks.modules`."""

    given: Mapping[str, str] = field(default_factory=dict[str, str])
    """SHA-256 by name of the files that a take-home candidate started from; empty in a course,
    where these are the module's exercise."""

    nsight: bool = False
    """Also run the candidate's GPU kernels under Nsight Compute and record its figures."""

    seed: str = ""
    """Seed of an earlier record, to repeat the same inputs; empty draws a new one."""

    def to_message(self) -> dict[str, Any]:
        """Return the message for the judge process."""
        return {"op": "judge", **asdict(self)}

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """Read a job. Raises ValueError for an unknown key."""
        values = {key: value for key, value in message.items() if key != "op"}
        values["spec"] = TaskSpec.from_message(values.get("spec", {}))
        if unknown := set(values) - {f.name for f in fields(cls)}:
            raise ValueError(f"a job has no {', '.join(sorted(unknown))}")
        return cls(**values)
