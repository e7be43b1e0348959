"""Starts a process without confinement, for ungraded checks in the learner's own JupyterLab.

Wall time, output and memory are still limited, and the whole tree can be frozen and ended, as long
as no process tries to escape: a process that daemonizes leaves the tree.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

from hotloop.sandbox import processes, staging
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.freezer import Freezer, SignalFreezer
from hotloop.sandbox.owner import new_tag, state_folder
from hotloop.sandbox.process import Confined
from hotloop.sandbox.watchdog import OutputBuffer, ProcessLimits, Watchdog

_PACKAGES = Path(__file__).resolve().parents[2]
_END_TIMEOUT_S = 5.0


def launch_plain(confinement: Confinement) -> Confined:
    """Start a program as this user, in a new folder that holds a copy of `files`.

    `read_only` and `writable` are not mounted: their inside paths do not exist here.
    """
    process = PlainProcess(confinement)
    process.begin()
    return process


class PlainProcess(Confined):
    """An ordinary child process under a watchdog."""

    level = "none"

    def __init__(self, confinement: Confinement) -> None:
        super().__init__()
        self._confinement = confinement
        self._folder: Path | None = None
        self._process: Popen[bytes] | None = None
        self._freezer: SignalFreezer | None = None
        self._pidfd = -1

    @property
    def freezer(self) -> Freezer:
        """A SignalFreezer of the tree."""
        assert self._freezer is not None
        return self._freezer

    def _start(self) -> tuple[Popen[bytes], Watchdog, OutputBuffer]:
        confinement = self._confinement
        self._folder = _working_folder(confinement.files)
        output, writer = os.pipe2(os.O_CLOEXEC)
        buffer = OutputBuffer(output, confinement.output_bytes)
        try:
            process = self._process = Popen(
                list(confinement.argv),
                env=_environment(confinement),
                stdin=subprocess.DEVNULL,
                stdout=writer,
                stderr=writer,
                cwd=self._folder,
                pass_fds=confinement.pass_fds,
                start_new_session=True,
            )
        except BaseException:
            os.close(output)
            raise
        finally:
            os.close(writer)
        self.pid = process.pid
        self._pidfd = os.pidfd_open(process.pid)
        self._freezer = SignalFreezer(process.pid)
        watchdog = Watchdog(
            ProcessLimits(confinement.wall_s, confinement.output_bytes, confinement.memory_bytes),
            buffer,
            ended=self._pidfd,
            wake=self._wake,
            root=process.pid,
        )
        return process, watchdog, buffer

    def _end(self) -> None:
        """Stop the tree so that it cannot grow, then kill it and its process group."""
        assert self._process is not None
        pids = processes.tree(self.pid)
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        pids = processes.tree(self.pid)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        deadline = time.monotonic() + _END_TIMEOUT_S
        while any(_alive(pid) for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.001)

    def _clean(self) -> None:
        if self._pidfd >= 0:
            os.close(self._pidfd)
        if self._folder is not None:
            staging.unstage(self._folder)

    def _out_of_memory(self) -> bool:
        return False


def _working_folder(files: Path | None) -> Path:
    if files is not None:
        return staging.stage(files, staging.MAX_BYTES)
    folder = state_folder(staging.STAGED) / new_tag()
    folder.mkdir(mode=0o700)
    return folder


def _environment(confinement: Confinement) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HOTLOOP_")}
    paths = [str(_PACKAGES), *filter(None, [inherited.get("PYTHONPATH")])]
    python = str(Path(sys.executable).parent)
    return {
        **inherited,
        "PATH": f"{python}:{inherited.get('PATH', os.defpath)}",
        "PYTHONPATH": ":".join(paths),
        **confinement.environment,
    }


def _alive(pid: int) -> bool:
    status = processes.stat(pid)
    return status is not None and status.state != "Z"
