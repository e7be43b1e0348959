"""What a confined process can see and use."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
    files: a submission; a copy of its regular files appears at /submission. files_bytes: at most.
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
    files_bytes: int = 64 << 20
