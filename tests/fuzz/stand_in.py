"""A stand-in for the judge's connections, which replays recorded replies of a task's processes.

`recorded` judges one check for real, with the reference in a sandbox, and records each connection.
`played` judges the check again with the same secrets and without a process: a `Player` answers from
the recording, and changes the replies of the candidate's process. If the judge asks a trusted
process for something that was not recorded, the answer is not known: `Unknown` is raised.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import wire
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import launcher as launching
from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import CheckFunction, judge_checks
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.gpu.workers import notebook_worker
from hotloop.judge.launcher import Launcher
from hotloop.judge.notebook import cells_to_run, run_cells
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import JudgingOptions, Session
from hotloop.judge.spec import TaskSpec
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.judge.zygotes import worker_fork
from hotloop.sandbox.level import level

SEED = "5eed" * 8
MOST_S = 0.7
"""Seconds after the first answer at which recording stops: the first answers suffice to alter."""

PATIENCE_S = 20.0
"""Time limit of trusted programs for everything that they make for a recording."""

ANSWER_S = 5.0
"""Time limit of a candidate's answer; a slower one is replaced by a made-up answer."""

BUDGET_S = 30.0
"""Time limit of judging a replayed check, which waits for no process: a longer one hangs."""

SILENT = ("hello", "resolve", "map", "plan", "put_file", "unmap")
"""Requests whose replies hold no answer and whose buffers no process has written yet."""

Data = dict[int, bytes]


@dataclass(frozen=True)
class Judged:
    """A task, by its name in the notebook."""

    name: str
    candidate: Candidate
    checks: Mapping[str, CheckFunction]
    spec: TaskSpec | None = None


class Unknown(BaseException):
    """The recording ends here, or the judge asked a trusted program something new."""


@dataclass(frozen=True)
class Exchange:
    """One request and its reply. trusted: the process ran no code of the candidate.

    request: as JSON, so that it can be compared. data: of the writable buffers, by number.
    invented: nobody was asked this in the recording, so that the right reply is unknown.
    """

    request: str
    reply: wire.Message
    data: Data
    trusted: bool
    invented: bool = False

    @property
    def op(self) -> str:
        return str(json.loads(self.request)["op"])


@dataclass
class Tape:
    """The exchanges of each process, in the order in which they were started.

    answers: of processes with the candidate's code, in order. record: the check's result; None if
    recording was stopped before its end, at `until`.
    """

    exchanges: list[list[Exchange]] = field(default_factory=list[list[Exchange]])
    answers: list[Exchange] = field(default_factory=list[Exchange])
    record: CheckRecord | None = None
    ended: str = ""
    until: float = float("inf")


class StillFreezer:
    """Does nothing, as there is no process to freeze."""

    def freeze(self) -> None: ...
    def thaw(self) -> None: ...


@dataclass
class Buffers:
    """The judge's buffers as a process sees them."""

    mapped: dict[int, tuple[mmap.mmap, bool]] = field(default_factory=dict[Any, Any])

    def take(self, message: wire.Message, fds: Any) -> wire.Message:
        """Map the buffers of a request; return the request with digests of read-only buffers.

        `seconds` and `timeout_s` are left out: they depend on the time left for the judging.
        """
        timed = ("seconds", "timeout_s")
        message = {name: value for name, value in message.items() if name not in timed}
        if message.get("op") == "unmap":
            self.mapped.clear()
        if message.get("op") != "map":
            return message
        described: list[Any] = []
        for told, fd in zip(message["buffers"], fds, strict=True):
            copy = os.dup(fd)
            access = mmap.ACCESS_WRITE if told["writable"] else mmap.ACCESS_READ
            memory = mmap.mmap(copy, told["bytes"], access=access)
            os.close(copy)
            self.mapped[told["id"]] = (memory, told["writable"])
            digest = "" if told["writable"] else hashlib.sha256(memory).hexdigest()
            described.append([told, digest])
        return {**message, "buffers": described}

    def written(self) -> Data:
        """Return the contents of the buffers that the process may write."""
        return {number: memory[:] for number, (memory, writable) in self.mapped.items() if writable}

    def write(self, data: Data) -> None:
        for number, content in data.items():
            memory, writable = self.mapped.get(number, (None, False))
            if memory is not None and writable:
                memory[:] = content[: len(memory)].ljust(len(memory), b"\0")


class Recorder(WorkerConnection):
    """A real connection that records its exchanges."""

    tape: Tape

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.kept: list[Exchange] = []
        self.tape.exchanges.append(self.kept)
        self.buffers = Buffers()
        self.asked: wire.Message = {}
        self.heard: wire.Message | None = None

    def send(self, message: wire.Message, fds: Any = ()) -> None:
        if time.monotonic() > self.tape.until and message["op"] != "hello":
            raise Unknown("enough was recorded")
        self.asked = self.buffers.take(json.loads(json.dumps(message)), fds)
        self.deadline = time.monotonic() + (PATIENCE_S if self.trusted else ANSWER_S)
        super().send(message, fds)

    def receive(self, deadline: float) -> wire.Message:
        Recorder.listening = self
        try:
            return super().receive(deadline)
        except Ruling as ruling:
            if ruling.verdict is Verdict.TIMEOUT:
                self.keep({"ok": True, "returned": [{"json": {}}]})
            raise
        finally:
            Recorder.listening = None

    listening: Recorder | None = None

    def keep(self, reply: wire.Message) -> None:
        silent = self.asked["op"] in SILENT
        data = {} if silent else self.buffers.written()
        reply = json.loads(json.dumps(reply))
        exchange = Exchange(json.dumps(self.asked), reply, data, self.trusted)
        self.kept.append(exchange)
        if self.tape.until == float("inf"):
            self.tape.until = time.monotonic() + PATIENCE_S
        if self.trusted or silent:
            return
        if not self.tape.answers:
            self.tape.until = time.monotonic() + MOST_S
        self.tape.answers.append(exchange)


NOTHING = Exchange("", {}, {}, trusted=False)

Change = Callable[[Exchange, int], tuple[bytes, Data] | None]
"""Changes a reply of a candidate's process: returns a frame's body and the buffers' contents.

Called with the recorded exchange, and with the number of the answer; None changes nothing.
"""


class Player(WorkerConnection):
    """Answers from a recording, without a process."""

    def __init__(self, spoken: list[Exchange], change: Change, counter: list[int], **kind: Any):
        ours, self.theirs = socket.socketpair()
        for end in (ours, self.theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
        super().__init__(ours, StillFreezer(), **kind)  # type: ignore[arg-type]
        self.spoken = iter(spoken)
        self.change = change
        self.counter = counter
        self.buffers = Buffers()
        self.strayed = False

    def send(self, message: wire.Message, fds: Any = ()) -> None:
        asked = json.dumps(self.buffers.take(json.loads(json.dumps(message)), fds))
        known = NOTHING if self.strayed else next(self.spoken, None)
        if known is None:
            raise Unknown("the recording ends here")
        if known.request != asked:
            if self.trusted:
                raise Unknown("our own program was asked something new")
            self.strayed = True
            reply = {"ok": True, "returned": [{"json": {}}], "path": "/tmp/x"}
            known = Exchange(asked, reply, {}, trusted=False, invented=True)
        body, data = wire.encode(known.reply)[4:], known.data
        if not self.trusted and known.op not in SILENT:
            changed = self.change(known, self.counter[0])
            self.counter[0] += 1
            body, data = changed or (body, data)
        self.buffers.write(data)
        self.theirs.sendall(wire.LENGTH.pack(len(body)) + body)

    def close(self) -> None:
        super().close()
        self.theirs.close()

    def bye(self) -> None:
        self.close()


@dataclass(frozen=True)
class Playing(Launcher):
    """Starts players instead of processes."""

    tape: Tape = field(default_factory=Tape)
    change: Change = lambda _exchange, _number: None
    started: list[Player] = field(default_factory=list[Player])
    counter: list[int] = field(default_factory=lambda: [0])

    def start(self, *, trusted: bool, **_ignored: Any) -> WorkerConnection:
        number = len(self.started)
        spoken = self.tape.exchanges[number] if number < len(self.tape.exchanges) else []
        player = Player(spoken, self.change, self.counter, trusted=trusted)
        self.started.append(player)
        player.hello(1.0)
        return player


def recorded(judged: Judged, check: str, files: Path, needs: Any) -> Tape:
    """Judge one check for real, with the reference in `files`, and record the connections."""
    tape = Tape()
    launcher = Launcher(level()[0], fork=worker_fork(needs))
    kind = type("Recorder", (Recorder,), {"tape": tape})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launching, "WorkerConnection", kind)
        _listen(patch)
        session = _session(files, launcher, judged, 300.0)
        try:
            session = session.about(judged.candidate)
            (tape.record,) = judge_checks(judged.checks, session, frozenset({check}))
        except Unknown as end:
            tape.ended = str(end)
        finally:
            session.close()
    return tape


def _listen(patch: pytest.MonkeyPatch) -> None:
    """Record replies as they arrive, before they are processed."""
    receive = wire.receive

    def heard(sock: socket.socket, deadline: float = float("inf")) -> wire.Message:
        reply = receive(sock, deadline)
        if Recorder.listening is not None:
            Recorder.listening.keep(reply)
        return reply

    patch.setattr(wire, "receive", heard)


def played(judged: Judged, check: str, files: Path, tape: Tape, change: Change) -> CheckRecord:
    """Judge the check again from the recording. Raises Unknown if the recording ends."""
    launcher = Playing("none", tape=tape, change=change)
    session = _session(files, launcher, judged, BUDGET_S)
    try:
        (record,) = judge_checks(judged.checks, session.about(judged.candidate), frozenset({check}))
        return record
    finally:
        session.close()
        for player in launcher.started:
            player.close()


def _session(files: Path, launcher: Launcher, judged: Judged, budget_s: float) -> Session:
    def connect() -> WorkerConnection:
        worker = notebook_worker(launcher, files, None)
        sources = cells_to_run(SubmissionFiles(files), "lab.ipynb", "", judged.name)
        run_cells(worker, sources, Budget(budget_s))
        return worker

    return Session(
        Candidate("nobody"),
        SubmissionFiles(files),
        launcher,
        Budget(budget_s),
        JudgingOptions(judged.spec),
        Seeds(bytes.fromhex(SEED)),
        connect=connect,
    )
