"""What a confined process can see and use, and the interface by which its owner controls it."""

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
    """This machine cannot confine a process. The message gives the reason and the fix."""


class SubmissionRefused(ValueError):
    """The submission has too many or too large files to be staged; the learner can fix it."""


@dataclass(frozen=True)
class Confinement:
    """One program and its limits.

    argv: command line, with paths as seen inside. environment: added to a minimal one; nothing is
    inherited.
    read_only, writable: inside path -> host path, in addition to the base list (system,
    interpreter, worker). A writable folder has no size limit, and its mode must grant access to the
    sandbox's user.
    files: a submission; a copy of its regular files appears at /submission.
    memory_bytes: resident memory of all processes together. processes: limit that also counts
    threads.
    tmp_bytes: size of each of /tmp, /dev/shm and the home folder. wall_s: seconds, time spent
    frozen included.
    output_bytes: standard output and standard error together.
    pass_fds: descriptors that keep their numbers inside.
    devices: device nodes such as /dev/nvidia0; if there are any, /sys is visible and memfd_create
    is allowed.
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
    """A running confined process tree. Its owner can use it from any thread."""

    @property
    def pid(self) -> int:
        """Host pid of the process at the root of the confined tree."""
        ...

    @property
    def freezer(self) -> Freezer:
        """The freezer of the whole tree."""
        ...

    @property
    def level(self) -> str:
        """The isolation: "bubblewrap" or "none"."""
        ...

    @property
    def death(self) -> Verdict | None:
        """memory_limit, output_limit or timeout if a limit ended the process, else None."""
        ...

    @property
    def fault(self) -> str | None:
        """Why the program was never executed (a fault of the platform), else None."""
        ...

    def poll(self) -> int | None:
        """Return the exit status once the tree is gone and cleaned up, else None. Never waits."""
        ...

    def wait(self, timeout_s: float | None = None) -> int | None:
        """Like `poll`, but wait for at most `timeout_s` seconds (None: without limit)."""
        ...

    def kill(self) -> None:
        """End the whole tree and return when nothing is left. May be called twice."""
        ...

    def output(self) -> bytes:
        """Return the output so far, both streams interleaved, at most `output_bytes`."""
        ...
