"""Tests whether this machine can confine a process, by confining /bin/true."""

from functools import cache

from hotloop.sandbox.confinement import Confinement, SandboxUnavailable
from hotloop.sandbox.launch import launch
from hotloop.sandbox.requirements import missing

TRIAL = Confinement(
    argv=("/bin/true",),
    environment={},
    read_only={},
    writable={},
    files=None,
    memory_bytes=256 << 20,
    processes=8,
    tmp_bytes=1 << 20,
    wall_s=20.0,
    output_bytes=1 << 16,
)


@cache
def level() -> tuple[str, str]:
    """Return ("bubblewrap", ""), or ("none", the reason and the command that fixes it)."""
    reason = missing() or _trial()
    return ("none", reason) if reason else ("bubblewrap", "")


def _trial() -> str:
    try:
        confined = launch(TRIAL)
    except (SandboxUnavailable, OSError, RuntimeError) as error:
        return str(error)
    status = confined.wait(TRIAL.wall_s + 5)
    confined.kill()
    if status == 0:
        return ""
    output = confined.output().decode(errors="replace").strip()
    return confined.fault or f"a confined /bin/true ended with status {status} ({output[-400:]})"
