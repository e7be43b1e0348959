"""What a confined process may see and use, and what its owner holds of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hotloop.core.verdict import Verdict
from hotloop.sandbox.freezer import Freezer

HOME = "/home/learner"
SUBMISSION = "/submission"
PACKAGES = "/opt/hotloop"


class SandboxUnavailable(RuntimeError):
    """This machine cannot confine a process; the message says why and what fixes it."""


class SubmissionRefused(ValueError):
    """The files handed in cannot be staged: too many, or too large. The learner can fix it."""


@dataclass(frozen=True)
class Confinement:
    """One program and its limits.

    argv: as seen inside; environment: added to a minimal one, nothing is inherited.
    read_only, writable: inside path -> host path, beside the base list (system, interpreter,
        worker). A writable folder has no size limit and must itself let the sandbox's user in.
    files: a submission; its ordinary files are seen, as a copy, at /submission.
    memory_bytes: resident memory of all processes together. processes: threads count too.
    tmp_bytes: each of /tmp, /dev/shm and the home folder. wall_s: time spent frozen counts.
    output_bytes: standard output and error together.
    pass_fds: descriptors that keep their numbers inside.
    devices: device nodes such as /dev/nvidia0; with any, /sys is seen and memfd_create allowed.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    read_only: Mapping[str, Path]
    writable: Mapping[str, Path]
    files: Path | None
    memory_bytes: int
    processes: int
    tmp_bytes: int
    wall_s: float
    output_bytes: int
    pass_fds: tuple[int, ...] = ()
    devices: tuple[str, ...] = ()


class Confined(Protocol):
    """A running confinement. Its owner may use it from any thread."""

    @property
    def pid(self) -> int:
        """Host id of the process at the root of the confined tree."""
        ...

    @property
    def freezer(self) -> Freezer:
        """Stops and measures the whole tree."""
        ...

    @property
    def level(self) -> str:
        """ "bubblewrap" or "none"."""
        ...

    @property
    def death(self) -> Verdict | None:
        """memory_limit, output_limit or timeout when a limit ended it, else None."""
        ...

    @property
    def fault(self) -> str | None:
        """Why the program was never executed, which is the platform's fault; else None."""
        ...

    def poll(self) -> int | None:
        """The exit status once the tree is gone and cleaned up, else None. Never waits."""
        ...

    def wait(self, timeout_s: float | None = None) -> int | None:
        """As `poll`, after waiting for at most `timeout_s` seconds."""
        ...

    def kill(self) -> None:
        """End the whole tree and return when nothing is left. May be called twice."""
        ...

    def output(self) -> bytes:
        """What it has printed so far, both streams as they came, at most `output_bytes`."""
        ...
