"""The parent's handle on a judge process."""

import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from hotloop import __version__
from hotloop.core import wire
from hotloop.core.closing import Closing
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.variant import digest_of
from hotloop.core.verdict import Verdict
from hotloop.judge.job import Job
from hotloop.sandbox import scratch

GRACE_S = 60.0
"""Seconds beyond a job's budget until a silent judge counts as lost."""

ENDS_S = 10.0


class JudgeProcess(Closing):
    """A judge process that takes one job at a time; started at the first job, restarted if it died.

    It ends with the thread that started it, so start it from a long-lived one.

    quiet: discard its log output, which a notebook would show as an error of the cell.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._early: Record | None = None

    def judge(
        self,
        job: Job,
        on_progress: Callable[[str], None] = lambda _text: None,
        worker: socket.socket | None = None,
        turn: Callable[[], None] = lambda: None,
    ) -> Record:
        """Return the record of one job. Never raises: failures of the judge become JUDGE_ERROR.

        turn: called before the judge measures; blocks until no other grading runs.
        """
        try:
            self.submit(job, worker)
            return self.collect(job, on_progress, turn)
        except (wire.WireError, OSError, ValueError, KeyError, TypeError) as error:
            self.kill()
            return lost(job, error)

    def warm(self, isolation: str) -> None:
        """Start the process and its zygote before the first job. Does not wait for it.

        isolation: as in `Job`.
        """
        wire.send(self._running(), {"op": "warm", "isolation": isolation})

    def submit(self, job: Job, worker: socket.socket | None = None) -> None:
        """Send a job without waiting. `worker`: the judge's end of the connection to the kernel."""
        control = self._running()
        self._early = None
        fds = () if worker is None else (worker.fileno(),)
        wire.send(control, job.to_message(), fds)

    def collect(
        self,
        job: Job,
        on_progress: Callable[[str], None] = lambda _text: None,
        turn: Callable[[], None] = lambda: None,
    ) -> Record:
        """Wait for the record of the submitted job.

        Raises WireError if the judge died or exceeded the budget by GRACE_S.
        """
        if self._early is not None:
            return self._early
        deadline = time.monotonic() + job.budget_s + GRACE_S
        while True:
            message = self._next_message(deadline)
            if "record" in message:
                return self._record(message)
            if "turn" in message:
                deadline += self._give(turn)
            elif "extend" in message:
                deadline += float(message["extend"])
            else:
                on_progress(str(message.get("progress", "")))

    def _give(self, turn: Callable[[], None]) -> float:
        """Let the judge measure. Returns the seconds that it was kept waiting."""
        started = time.monotonic()
        turn()
        if self._control is None:
            raise wire.WireClosed("there is no judge")
        wire.send(self._control, {"op": "go"})
        return time.monotonic() - started

    def follow(self, worker: socket.socket, on_progress: Callable[[str], None]) -> None:
        """Wait until `worker` has data to read; meanwhile, report the judge's progress.

        For a kernel that is both the worker and the judge's parent, and serves in the waiting
        thread.
        """
        while self._early is None:
            if self._control is None:
                raise wire.WireClosed("there is no judge")
            # Serve a request of the judge first, since it may be timed.
            if _ready(worker, self._control) is worker:
                return
            message = wire.receive(self._control)
            if "record" in message:
                self._early = self._record(message)
            elif "progress" in message:
                on_progress(str(message["progress"]))

    def ready_record(self) -> Record | None:
        """Return the record if the judge has already sent it, otherwise None."""
        if self._early is not None:
            return self._early
        try:
            while True:
                message = self._next_message(time.monotonic() + 0.05)
                if "record" in message:
                    return self._record(message)
        except wire.WireTimeout:
            return None

    def _record(self, message: wire.Message) -> Record:
        """Return the record of the message. Wait for the end of a judge that used the GPU.

        Its CUDA context exists until the process ends.
        """
        if message.get("ends") is True and self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(ENDS_S)
            self.kill()
        return Record.from_json(message["record"])

    def _next_message(self, deadline: float) -> wire.Message:
        if self._control is None:
            raise wire.WireClosed("there is no judge")
        return wire.receive(self._control, deadline)

    def kill(self) -> None:
        """Kill the judge, and with it everything that it started."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            scratch.sweep()
        if self._control is not None:
            self._control.close()
        self._process = self._control = None

    def close(self) -> None:
        """Ask the judge to finish, then kill it."""
        if self._control is not None:
            try:
                wire.send(self._control, {"op": "finish"})
                wire.receive(self._control, time.monotonic() + 5)
            except wire.WireError:
                pass
        self.kill()

    def _running(self) -> socket.socket:
        alive = self._process is not None and self._process.poll() is None
        if alive and self._control is not None:
            return self._control
        self.kill()
        ours, theirs = socket.socketpair()
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "hotloop.judge", "--control", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL if self._quiet else None,
                env=environment,
            )
        self._control = ours
        return ours


def _ready(first: socket.socket, second: socket.socket) -> socket.socket:
    """Wait until one of the two is readable; return the first if both are."""
    with selectors.DefaultSelector() as selector:
        selector.register(first, selectors.EVENT_READ)
        selector.register(second, selectors.EVENT_READ)
        readable = {key.fileobj for key, _ in selector.select()}
    return first if first in readable else second


def lost(job: Job, error: Exception) -> Record:
    """Return the record of a job whose judge died or hung: a platform error, never a zero."""
    sentence = "The judge was lost, which costs no points: judging the task again decides."
    evidence = {"error": f"{type(error).__name__}: {error}"[:500]}
    return Record(
        job.module,
        job.task,
        Verdict.JUDGE_ERROR,
        sentence,
        (CheckRecord("judge", Verdict.JUDGE_ERROR, sentence, evidence=evidence),),
        Circumstances(
            submission_digest=job.submission_digest,
            grader_version=__version__,
            grader_digest="",
            device="",
            driver="",
            libraries={},
            seed="",
            isolation=job.isolation,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=0.0,
            variant=digest_of(job.variant),
            seeded=bool(job.seed),
        ),
    )
