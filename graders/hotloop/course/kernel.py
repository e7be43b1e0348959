"""Runs a learner's notebook: a Jupyter kernel in a sandbox, driven cell by cell.

nbclient is not used, because it waits for a kernel that ignores interrupts and keeps all its
output. Here every cell has a time limit, at which the kernel is interrupted, and killed if it does
not respond soon after.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hotloop.core.closing import Closing
from hotloop.core.verdict import Verdict
from hotloop.course.channels import Channels, Listeners
from hotloop.course.outputs import Outputs
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.freezer import FreezeError
from hotloop.sandbox.process import Confined
from hotloop.worker.notebook import CELL_S, INTERRUPT_S, PROCESSES

INSIDE = Path("/run/hotloop")
JUDGE_SOCKET = "judge.sock"
SERVE_JUDGE = "__import__('hotloop.worker.check', fromlist=['serve_judge']).serve_judge()"
"""Executed instead of a judged cell's source. It only lends the kernel to the judge."""

PREFIX = "hotloop-kernel-"
MOST_SOCKET_PATH = 107
"""Bytes of a unix socket's path: `sun_path` in unix(7), without its final zero."""

_POLL_S = 0.1
_WELCOME = "iopub_welcome"
_IDLE_GRACE_S = 1.0

Status = Literal["ok", "error", "timeout", "dead"]
Launch = Callable[[Confinement], Confined]


@dataclass(frozen=True)
class NotebookLimits:
    """Limits of a notebook. Seconds are wall time.

    cell_s: one cell. interrupt_s: from the interrupt to the kill. notebook_s: all cells together.
    judging_s: time for the judge while the kernel waits for it or serves it.
    """

    cell_s: float = CELL_S
    interrupt_s: float = INTERRUPT_S
    start_s: float = 60.0
    notebook_s: float = 900.0
    judging_s: float = 0.0
    memory_bytes: int = 4 << 30
    processes: int = PROCESSES
    tmp_bytes: int = 1 << 30
    log_bytes: int = 1 << 20


@dataclass(frozen=True)
class Death:
    """Why a kernel is gone, as a verdict and a sentence for the learner."""

    verdict: Verdict
    sentence: str


_DEATHS = {
    Verdict.MEMORY_LIMIT: (
        "The notebook used more memory than allowed and was stopped: keep less alive at once."
    ),
    Verdict.OUTPUT_LIMIT: "The notebook printed more than allowed and was stopped: print less.",
    Verdict.TIMEOUT: "The notebook ran longer than allowed and was stopped: shorten what it runs.",
}


class KernelNotStarted(Exception):
    """The sandboxed kernel did not start; an error of the platform, described in the message."""


class ConfinedKernel(Closing):
    """One kernel in one sandbox. Use it as a context manager, which cleans up everything."""

    def __init__(
        self,
        files: Path,
        launch: Launch,
        limits: NotebookLimits,
        *,
        confined: bool = True,
        environment: dict[str, str] | None = None,
        devices: tuple[str, ...] = (),
    ) -> None:
        """Start a kernel with `files` in its working directory.

        `confined` is False if `launch` gives no separate file system: the kernel then sees this
        machine's paths.
        """
        self.limits = limits
        self.death: Death | None = None
        self._left_s = limits.notebook_s
        self._held = False
        _require_short(Path(tempfile.gettempdir(), f"{PREFIX}12345678", "run", JUDGE_SOCKET))
        self._folder = tempfile.TemporaryDirectory(prefix=PREFIX)
        self.folder = Path(self._folder.name) / "run"
        """The kernel sees it at INSIDE, read-only."""
        self.folder.mkdir(mode=0o755)
        self._process: Confined | None = None
        self._channels = Channels(self.folder)
        try:
            self._start(files, launch, confined, environment or {}, devices)
        except BaseException:
            self.close()
            raise

    @property
    def process(self) -> Confined:
        """The sandbox around the kernel."""
        assert self._process is not None
        return self._process

    @property
    def judge_socket(self) -> Path:
        """Path of the socket on which a judge should listen for this kernel."""
        return self.folder / JUDGE_SOCKET

    @property
    def alive(self) -> bool:
        """False once the kernel is gone; `death` then has the reason."""
        if self.death is None and self.process.poll() is not None:
            self.death = self._post_mortem()
        return self.death is None

    def execute(self, code: str) -> tuple[Status, Outputs]:
        """Run one cell. Never raises for what the cell does, including its kernel's death."""
        outputs = Outputs()
        if self._left_s <= 0:
            self.kill(Verdict.TIMEOUT, _DEATHS[Verdict.TIMEOUT])
        if not self.alive:
            return "dead", outputs
        seconds = min(self.limits.cell_s, self._left_s)
        started = time.monotonic()
        request = self.begin(code)
        status = self._await(request, outputs, seconds)
        self._left_s -= time.monotonic() - started
        if status is not None:
            return status, outputs
        self.finish(request, outputs)
        outputs.failure(
            "CellTimeout", f"the cell ran longer than {seconds:.0f} s and was interrupted"
        )
        return "timeout" if self.alive else "dead", outputs

    def begin(self, code: str) -> str:
        """Send code without waiting; `finish` or `settle` end it. Returns the request's id."""
        content: dict[str, Any] = {
            "code": code,
            "silent": False,
            "store_history": False,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        return self._channels.send("shell", "execute_request", content)

    def finish(self, request: str, outputs: Outputs) -> None:
        """Free the kernel: interrupt it, and kill it if that does not help."""
        for _ in range(2):
            self._channels.send("control", "interrupt_request", {})
            if self._await(request, outputs, self.limits.interrupt_s / 2) is not None:
                return
        self.kill(
            Verdict.TIMEOUT,
            "The notebook did not stop when it was interrupted, and was ended there: "
            "let KeyboardInterrupt through.",
        )

    def settle(self, request: str, seconds: float) -> bool:
        """Wait for what `begin` started, then end it; its output is dropped.

        Returns False if the kernel died by itself.
        """
        unseen = Outputs(max_text=0, max_display=0)
        status = self._await(request, unseen, seconds)
        if status is None:
            self.finish(request, unseen)
        return status != "dead"

    def hold(self) -> None:
        """Freeze the kernel, with everything that its cells left running."""
        self._held = True
        with suppress(FreezeError, OSError):
            self.process.freezer.freeze()

    def let_go(self) -> None:
        """Thaw the kernel, if `hold` froze it."""
        if self._held:
            self._held = False
            self.process.freezer.thaw()

    def kill(self, verdict: Verdict, sentence: str) -> None:
        """Kill the kernel and all its processes."""
        if self.alive:
            self.death = Death(verdict, sentence)
        self.process.kill()

    def close(self) -> None:
        """Kill everything and remove the folder. Safe to call again."""
        if self._process is not None:
            self._process.kill()
        self._channels.close()
        self._folder.cleanup()

    def _start(
        self,
        files: Path,
        launch: Launch,
        confined: bool,
        environment: dict[str, str],
        devices: tuple[str, ...],
    ) -> None:
        inside = INSIDE if confined else self.folder
        (self.folder / "connection.json").write_text(self._channels.describe(inside))
        with closing(Listeners(self.folder)) as listeners:
            sockets = ",".join(map(str, listeners.descriptors))
            self._process = launch(
                Confinement(
                    argv=(
                        *(sys.executable, "-m", "hotloop.worker.kernel"),
                        *("--sockets", sockets, "-f", str(inside / "connection.json")),
                    ),
                    environment={
                        "HOTLOOP_JUDGE": str(inside / JUDGE_SOCKET),
                        "HOTLOOP_REPLAY": "1",
                        # Settings in the learner's files must not run before the first cell.
                        **({"IPYTHONDIR": "/tmp/ipython"} if confined else {}),
                        **environment,
                    },
                    read_only={str(INSIDE): self.folder} if confined else {},
                    writable={},
                    files=files,
                    memory_bytes=self.limits.memory_bytes,
                    processes=self.limits.processes,
                    tmp_bytes=self.limits.tmp_bytes,
                    wall_s=self.limits.start_s + self.limits.notebook_s + self.limits.judging_s,
                    output_bytes=self.limits.log_bytes,
                    pass_fds=listeners.descriptors,
                    devices=devices,
                )
            )
        self._greet()

    def _greet(self) -> None:
        """Wait until the kernel replies and its outputs arrive. Raises KernelNotStarted."""
        request = self._channels.send("shell", "kernel_info_request", {})
        deadline = time.monotonic() + self.limits.start_s
        answered = heard = False
        while self.process.poll() is None and time.monotonic() < deadline:
            for reply in self._channels.receive(_POLL_S):
                answered |= reply.channel == "shell" and reply.parent == request
                heard |= reply.kind == _WELCOME
            if answered and heard:
                return
        output = self.process.output().decode(errors="replace")[-2000:]
        raise KernelNotStarted(f"the kernel did not start in its sandbox: {output}")

    def _await(self, request: str, outputs: Outputs, seconds: float) -> Status | None:
        """Return the reply's status and collect outputs before it; None if time is up."""
        deadline = time.monotonic() + seconds
        status: Status | None = None
        idle = False
        while status is None or not idle:
            for reply in self._channels.receive(_POLL_S):
                if reply.parent != request:
                    continue
                if reply.channel == "iopub":
                    outputs.add(reply)
                    state = reply.content.get("execution_state")
                    idle |= reply.kind == "status" and state == "idle"
                if reply.channel == "shell" and status is None:
                    status = "ok" if reply.content.get("status") == "ok" else "error"
                    deadline = time.monotonic() + _IDLE_GRACE_S
            if not self.alive:
                return "dead"
            if time.monotonic() >= deadline:
                break
        if self._channels.was_cut_off():
            outputs.lost()
            self._hear_again()
        return status

    def _hear_again(self) -> None:
        """Wait for the welcome message on the renewed connection, or continue without it."""
        deadline = time.monotonic() + _IDLE_GRACE_S
        while time.monotonic() < deadline:
            if any(reply.kind == _WELCOME for reply in self._channels.receive(_POLL_S)):
                return

    def _post_mortem(self) -> Death:
        verdict = self.process.death
        if verdict is not None and verdict in _DEATHS:
            return Death(verdict, _DEATHS[verdict])
        return Death(
            Verdict.RUNTIME_ERROR,
            "The notebook's process ended by itself "
            f"(exit status {self.process.poll()}): look for os._exit, a crash or a signal.",
        )


def _require_short(path: Path) -> None:
    """Raise KernelNotStarted if a socket cannot have this path."""
    size = len(os.fsencode(path))
    if size > MOST_SOCKET_PATH:
        raise KernelNotStarted(
            f"a socket's path may have {MOST_SOCKET_PATH} bytes, and {path} has {size}: set TMPDIR "
            "to a folder with a shorter path"
        )
