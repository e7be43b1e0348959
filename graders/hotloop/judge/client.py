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
from hotloop.core.record import Circumstances, Record, RungRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.job import Job
from hotloop.sandbox import scratch

GRACE_S = 60.0
"""How long over a job's budget the judge may stay silent before it counts as lost."""

ENDS_S = 10.0


class JudgeProcess(Closing):
    """A judge that takes one job at a time; started when first asked, and again if it died.

    It ends with the thread that started it: start it from one that lives long enough.
    quiet: what it logs is dropped; in a notebook it would count as an error of the cell.
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
        """The record of one job. Never raises for the judge's own trouble: that is judge_error.

        turn: called when the judge is to measure; returns when no other grading is at work.
        """
        try:
            self.submit(job, worker)
            return self.collect(job, on_progress, turn)
        except (wire.WireError, OSError, ValueError, KeyError, TypeError) as error:
            self.kill()
            return lost(job, error)

    def warm(self, isolation: str) -> None:
        """Start it before there is a job, with what workers are forked from. Does not wait for it.

        isolation: as in `Job`.
        """
        wire.send(self._running(), {"op": "warm", "isolation": isolation})

    def submit(self, job: Job, worker: socket.socket | None = None) -> None:
        """Send a job without waiting; `worker` is the judge's end of the kernel's connection."""
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
        """Wait for the record of the job that was submitted."""
        if self._early is not None:
            return self._early
        deadline = time.monotonic() + job.budget_s + GRACE_S
        while True:
            message = self._next_message(deadline)
            if "record" in message:
                return self._record(message)
            if "turn" in message:
                deadline += self._give(turn)
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
        """Wait until `worker` has something to read; pass on what the judge says meanwhile.

        For a process that is worker and parent at once, and serves in the thread that waits.
        """
        while self._early is None:
            if self._control is None:
                raise wire.WireClosed("there is no judge")
            # A request goes first: it may be timed.
            if _ready(worker, self._control) is worker:
                return
            message = wire.receive(self._control)
            if "record" in message:
                self._early = self._record(message)
            else:
                on_progress(str(message.get("progress", "")))

    def ready_record(self) -> Record | None:
        """The record if the judge has sent it already, without waiting for it."""
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
        """What the judge found. One that has used the GPU ends with it, and is waited for: until
        then it is on the card.
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
        """End the judge now; nothing that it started survives it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            scratch.sweep()
        if self._control is not None:
            self._control.close()
        self._process = self._control = None

    def close(self) -> None:
        """End the judge politely."""
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
                [sys.executable, "-m", "hotloop.judge", "--control", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL if self._quiet else None,
                env=environment,
            )
        self._control = ours
        return ours


def _ready(first: socket.socket, second: socket.socket) -> socket.socket:
    """Waits for either; the first one if both can be read."""
    with selectors.DefaultSelector() as selector:
        selector.register(first, selectors.EVENT_READ)
        selector.register(second, selectors.EVENT_READ)
        readable = {key.fileobj for key, _ in selector.select()}
    return first if first in readable else second


def lost(job: Job, error: Exception) -> Record:
    """The record of a job whose judge was lost: a fault of the platform, never a zero."""
    sentence = "The judge was lost, which costs no points: judging the task again decides."
    evidence = {"error": f"{type(error).__name__}: {error}"[:500]}
    return Record(
        job.module,
        job.task,
        Verdict.JUDGE_ERROR,
        sentence,
        (RungRecord("judge", Verdict.JUDGE_ERROR, sentence, evidence=evidence),),
        Circumstances(
            submission_digest=job.submission_digest,
            grader_version=__version__,
            module_digest="",
            device="",
            driver="",
            libraries={},
            seed="",
            isolation=job.isolation,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=0.0,
        ),
    )
