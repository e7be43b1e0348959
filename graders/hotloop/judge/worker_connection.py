"""The judge's end of its connection to one worker.

Everything from a worker is untrusted: it is read with a deadline and a length limit, and its type
is checked before use. Failures are attributed to the candidate, unless the worker runs only trusted
code.
"""

from __future__ import annotations

import math
import socket
import struct
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from hotloop.core import wire
from hotloop.core.verdict import NotInterpreted, Raised, Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.buffers import Buffer
from hotloop.judge.frozen_candidates import Bystander, Bystanders, release
from hotloop.judge.judge_fault import JudgeFault, Stumble
from hotloop.judge.time_limit import Overrun

if TYPE_CHECKING:
    from hotloop.sandbox.freezer import Freezer
    from hotloop.sandbox.process import Confined

LATEST_S = 30.0
"""Seconds after the task's deadline until the judge stops waiting for an answer, if the worker's
own time is not used up. The judge's parent gives up later (`client.GRACE_S`)."""

NO_PROTOCOL = "The worker's answer does not keep to the protocol."
"""Sentence about a reply that no unmodified worker gives."""

LATE = "a loop does not end, or the code is far too slow for what it is given."
"""What a process that does not answer in time may have: nobody can tell which from outside."""

_MOST_OF_COMPILER = 2000
"""Maximum characters of a compiler's message."""

_SEND_TIMEOUT = struct.pack("ll", 10, 0)
_DEATHS = {
    Verdict.MEMORY_LIMIT: "It used more memory than allowed and was stopped: keep less alive.",
    Verdict.OUTPUT_LIMIT: "It printed more than allowed and was stopped: print less.",
    Verdict.TIMEOUT: f"It ran longer than allowed and was stopped: {LATE}",
}


class WorkerConnection:
    """A worker that answers requests.

    trusted: it runs only trusted code, so its failures are the judge's.
    program: it is a program of the platform, even if it was given files of the candidate.
    confined: the sandboxed process; None for a notebook's kernel, which the judge did not start.
    budget: the task's time. Answers are awaited no longer than that, plus the time for which the
        judge had frozen the worker.
    bystanders: the judging's processes; those with code of the candidate stand still while this
        worker starts or answers, if it is trusted.
    answered: the candidate's last plain answer, as text for a sentence.
    """

    def __init__(
        self,
        sock: socket.socket,
        freezer: Freezer,
        *,
        trusted: bool,
        confined: Confined | None = None,
        bystanders: Bystanders | None = None,
    ) -> None:
        # A worker that does not read must not block the judge in a send.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _SEND_TIMEOUT)
        self.sock = sock
        self.freezer: Freezer = freezer
        self.trusted = trusted
        self.program = trusted
        self.confined = confined
        self.bystanders = bystanders or Bystanders()
        self.versions: dict[str, str] = {}
        self.answered = ""
        self.budget = Budget(math.inf)
        self._kept_s = 0.0
        self._frozen_at: float | None = None
        self._turn_s = 0.0
        self._held: list[Bystander] = []
        self._unstoppable: Ruling | None = None
        self._resolved: tuple[str, str | None] | None = None
        self._late = False

    def judged_within(self, budget: Budget) -> None:
        """Have the candidate's worker end with the task's time."""
        self.budget, self._turn_s = budget, budget.turn_s

    memory = Buffer
    """What the judge lends to the worker."""

    @property
    def is_open(self) -> bool:
        """False after `close`, by the judge or because the worker failed."""
        return self.sock.fileno() >= 0

    @property
    def continues(self) -> bool:
        """True unless another worker may take its place: what could not be frozen ends a task."""
        return self.is_open or self._unstoppable is not None

    def request(
        self, message: wire.Message, timeout_s: float, fds: Sequence[int] = ()
    ) -> wire.Message:
        """Send a request and return the checked reply.

        Raises Ruling if the candidate fails, JudgeFault if a trusted worker fails.
        """
        self.send(message, fds)
        return self.receive(time.monotonic() + timeout_s)

    def send(self, message: wire.Message, fds: Sequence[int] = ()) -> None:
        """Send a request without waiting; it stays in the socket while the worker is frozen.

        Raises JudgeFault for a value that JSON does not have, such as numpy.int64: no answer can
        hold one. A message that is too long may quote the candidate, and is its failure if the
        worker has its code or its files.
        """
        if self._unstoppable is not None:
            raise self._unstoppable
        if self._late:
            self._fail(Ruling(Verdict.TIMEOUT, "It had not finished what it was asked before."))
        if self.trusted:
            self._held += self.bystanders.hold()
        try:
            wire.send(self.sock, message, fds)
        except wire.WireError:
            release(self._held)
            self._fail(self._death())
        except wire.TooLong as error:
            release(self._held)
            sentence = f"What it gave is too long to be passed on: {error}."
            self._fail(Ruling(Verdict.OUTPUT_LIMIT, sentence))
        except TypeError as error:
            release(self._held)
            raise JudgeFault(
                f"the request {message.get('op')!r} cannot be sent: {error}"
            ) from error

    def receive(self, deadline: float) -> wire.Message:
        """Return the reply to the last request; `deadline` is on the monotonic clock."""
        try:
            return self._receive(deadline)
        finally:
            release(self._held)

    def _receive(self, deadline: float) -> wire.Message:
        # While the judge waited for its turn, the worker was frozen, and the deadline moved too.
        own = self.budget.deadline + self._kept_s - (self.budget.turn_s - self._turn_s)
        latest = self.budget.deadline + LATEST_S
        try:
            with self.budget.waiting():
                if not wire.is_readable(self.sock, min(deadline, own, latest)):
                    deadline += self._starved_s()
                reply = wire.receive(self.sock, min(deadline, own, latest))
        except wire.WireTimeout:
            self._late = True  # a late reply must not be read as the next request's
            if self.confined is not None:
                self.close()
            if latest < min(deadline, own):
                raise self.budget.time_is_up() from None
            self._fail(Ruling(Verdict.TIMEOUT, f"It did not finish in time: {LATE}"))
        except wire.WireClosed:
            self._fail(self._death())
        except wire.WireError as error:
            self._fail(Ruling(Verdict.TAMPERED, f"{NO_PROTOCOL[:-1]}: {error}."))
        except Overrun as overrun:
            if self.trusted:
                raise JudgeFault("our own program took too long") from overrun
            raise
        if reply.get("ok") is not True:
            error = wire.as_message(reply.get("error")) or {}
            stumble = Stumble(readable(error.get("trace"), 4000)) if self.program else None
            self._fail(failure(reply), stumble)
        return reply

    def _starved_s(self) -> float:
        """Return for how long the candidate's most delayed thread has waited for a CPU.

        That others use the machine is not its fault; a thread that sleeps or computes does not
        wait. The task's own time ends it all the same.
        """
        if self.confined is None:
            return 0.0
        threads = self.freezer.usage_while_running().threads.values()
        return max((thread.wait_ns for thread in threads), default=0) / 1e9

    def resolve(
        self, name: str, file: str | None, timeout_s: float, launcher_source: str | None = None
    ) -> None:
        """Have the worker find the function; repeated calls for the same one do nothing.

        launcher_source: for a CUDA file, the text that is compiled with it and launches the kernel.
        """
        if self._resolved == (name, file):
            return
        message: wire.Message = {"op": "resolve", "name": name, "file": file}
        if launcher_source is not None:
            message["launcher"] = launcher_source
        self.request(message, timeout_s)
        self._resolved = (name, file)

    def hello(self, timeout_s: float) -> None:
        """Wait until the worker answers, and store the library versions that it reports."""
        reply = self.request({"op": "hello"}, timeout_s)
        versions = wire.as_message(reply.get("versions")) or {}
        self.versions = {readable(k, 40): readable(v, 40) for k, v in list(versions.items())[:20]}

    def map(self, buffers: dict[int, Buffer], timeout_s: float = 30.0) -> None:
        """Send buffers to the worker, 100 per message, since the kernel limits descriptors."""
        entries = list(buffers.items())
        for start in range(0, len(entries), 100):
            part = entries[start : start + 100]
            described = [{"id": i, "bytes": b.size, "writable": b.writable} for i, b in part]
            fds = [b.fd for _, b in part]
            self.request({"op": "map", "buffers": described}, timeout_s, fds)

    def freeze(self) -> None:
        """Freeze the worker's processes. Raises Ruling if a candidate's cannot be frozen."""
        with self.budget.waiting():
            freeze(self.freezer, trusted=self.trusted)
        if self._frozen_at is None:
            self._frozen_at = time.monotonic()

    def hold(self) -> bool:
        """Freeze the worker if it may run code of the candidate; False if nothing is to release.

        What cannot be frozen is ended: its next request raises the Ruling.
        """
        from hotloop.sandbox.freezer import FreezeError  # a simulator beside the judge needs none

        if self.trusted or self._frozen_at is not None or not self.is_open:
            return False
        try:
            self.freeze()
        except (Ruling, FreezeError) as failure:
            if self.confined is None:
                return False
            self._unstoppable = failure if isinstance(failure, Ruling) else _unstoppable()
            self.close()
            return False
        return True

    def release(self) -> None:
        """Thaw the worker that `hold` has frozen."""
        self.thaw()

    def thaw(self) -> None:
        """Thaw the worker. The time for which it was frozen is added to its own."""
        with self.budget.waiting():
            self.freezer.thaw()
        if self._frozen_at is not None:
            self._kept_s += time.monotonic() - self._frozen_at
            self._frozen_at = None

    def close(self) -> None:
        """Close the connection and kill the worker if the judge started it."""
        self.sock.close()
        if self.confined is not None:
            self.confined.kill()

    def bye(self) -> None:
        """Disconnect from a worker that the judge did not start, which continues to run."""
        try:
            wire.send(self.sock, {"op": "bye"})
            wire.receive(self.sock, time.monotonic() + 2)
        except wire.WireError:
            pass
        self.sock.close()

    def _death(self) -> Ruling:
        cause = None
        if self.confined is not None:
            self.confined.wait(0.5)
            if self.confined.fault is not None:
                raise JudgeFault(f"the sandbox failed: {self.confined.fault}")
            cause = self.confined.death
        if cause is None:
            return Ruling(Verdict.RUNTIME_ERROR, "The process ended before it answered.")
        return Ruling(cause, _DEATHS.get(cause, "The process was stopped."))

    def _fail(self, ruling: Ruling, cause: Stumble | None = None) -> NoReturn:
        if self.trusted:
            raise JudgeFault(f"a trusted worker failed ({ruling})") from cause
        raise ruling from cause


def freeze(freezer: Freezer, *, trusted: bool) -> None:
    """Freeze a process tree. Raises Ruling(RUNTIME_ERROR) if a candidate's cannot be frozen."""
    from hotloop.sandbox.freezer import Unstoppable  # a simulator beside the judge needs none

    try:
        freezer.freeze()
    except Unstoppable as error:
        if trusted:
            raise
        raise _unstoppable() from error


def _unstoppable() -> Ruling:
    return Ruling(
        Verdict.RUNTIME_ERROR,
        "It starts processes, or wakes stopped ones, faster than they can be stopped: start no "
        "processes that outlive your function.",
    )


@contextmanager
def reading() -> Generator[None]:
    """Raise Ruling(TAMPERED) if the code inside fails to parse a reply.

    Only for processes that run code of the candidate, which may send any reply.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL) from error


def readable(text: object, limit: int) -> str:
    """Return a worker's text for a record: printable characters and newlines, at most `limit`."""
    return "".join(c for c in str(text or "")[:limit] if c.isprintable() or c == "\n")


def failure(reply: wire.Message) -> Ruling:
    """Return the Ruling about what a worker could not do."""
    error = wire.as_message(reply.get("error"))
    if error is None:
        return Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    kind, message = readable(error.get("type"), 80), readable(error.get("message"), 300)
    first_line = message.strip().splitlines()[0] if message.strip() else ""
    if kind == "NotImplementedError" and " " not in first_line:  # a stub names its task
        return Raised(
            Verdict.WRONG_ANSWER,
            "Not attempted yet: it still raises NotImplementedError.",
        )
    if kind in {"SyntaxError", "IndentationError", "CompilationError"}:
        text = readable(error.get("message"), _MOST_OF_COMPILER)
        return Raised(Verdict.COMPILE_ERROR, f"It does not compile: {text}")
    where = readable(error.get("where"), 80)
    if kind == NotInterpreted.__name__:
        return NotInterpreted(f"{where}: {first_line}" if where else first_line)
    kind = f"{kind} at {where}" if where else kind
    return Raised(
        Verdict.RUNTIME_ERROR,
        f"It raised {kind}: {first_line}" if first_line else f"It raised {kind}.",
    )
