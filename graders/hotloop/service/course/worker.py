"""Judges works of the service's queue, one at a time.

`hotloop course serve` starts `python -m hotloop.service.course.worker` for each phase and keeps it
running. A second thread sends heartbeats and the judge's progress to the database, and ends the
judge some time after the work was canceled.
"""

from __future__ import annotations

import logging
import platform
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from hotloop.core.record import Record
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.learn.remote.job import Phase
from hotloop.learn.remote.request import WholeRequest
from hotloop.sandbox.scratch import scratch
from hotloop.service import judging
from hotloop.service.course import works
from hotloop.service.course.jobs import QUEUE
from hotloop.service.course.works import Claimed
from hotloop.service.web import process
from hotloop.service.web.process import Stopped
from hotloop.tasks.judged_again import open_on_gpu, settled_on_gpu
from hotloop.tasks.local_judging import require_confinement

IDLE_S = 0.02
"""Seconds between two polls of the queue, each of which takes less than a millisecond."""
BEAT_S = 0.25
QUIET_S = 5.0
"""Seconds after which a heartbeat is written although nothing has changed."""
LET_END_S = 15.0
"""Seconds that the judging of a canceled job may go on before the judge is ended.

Its result is not stored. A judge that was ended takes about as long to start again: ended at once,
somebody who sends jobs and cancels them again and again would keep everybody else waiting for it.
"""

log = logging.getLogger("hotloop.service")


class Judging(AbstractContextManager[Any], Protocol):
    """A judge: a process here, or one on a node."""

    def kill(self) -> None:
        """End the work in progress. May be called from another thread."""
        ...


Judge = Callable[[Claimed, Any, Callable[[str], None]], list[Record]]


def judge(held: Claimed, process: JudgeProcess, say: Callable[[str], None]) -> list[Record]:
    """Return the records of a job after this phase."""
    request = WholeRequest.model_validate_json(held.document)
    with scratch() as folder:
        lay_out(request.contents(), folder)
        if held.phase == "cpu":
            return list(judging.judged(request, folder, process, say, device="cpu"))
        checks = {record.task: checks for record, checks in open_on_gpu(held.records)}
        later = judging.judged(request, folder, process, say, checks=checks)
        earlier = {record.task: record for record in held.records}
        return [settled_on_gpu(earlier[record.task], record) for record in later]


def warm() -> JudgeProcess:
    """Return a judge that starts before there is work, as starting takes seconds."""
    process = JudgeProcess()
    process.warm(require_confinement())
    return process


@dataclass
class QueueWorker:
    """Judges one work at a time.

    process: makes the judge. judge: judges a work; tests pass a faster one.
    """

    engine: Engine
    name: str
    phase: Phase
    judge: Judge = judge
    process: Callable[[], Judging] = JudgeProcess
    ending: threading.Event = field(default_factory=threading.Event)
    """Set when the worker was asked to end."""
    _registered: float = -QUIET_S

    def run(self) -> None:
        """Judge until it is asked to end."""
        with self.process() as process:
            while not self.ending.is_set():
                if not self.one(process):
                    self.ending.wait(IDLE_S)

    def one(self, process: Judging) -> bool:
        """Judge the next work; return False if none waits."""
        if time.monotonic() - self._registered > QUIET_S:
            works.here(self.engine, self.name, self.phase, platform.node())
            QUEUE.reclaim(self.engine)
            self._registered = time.monotonic()
        held = works.claim(self.engine, self.phase, self.name)
        if held is None:
            return False
        with _Heart(self, held, process) as heart:
            judged = self._judged(held, process, heart)
        if judged is not None:
            works.finish(self.engine, held, self.name, judged)
        return True

    def _judged(self, held: Claimed, process: Judging, heart: _Heart) -> Sequence[Record] | None:
        try:
            return self.judge(held, process, heart.say)
        except Exception as error:
            if self.ending.is_set():
                raise Stopped from error
            log.exception("%s was not judged", held.job)
            QUEUE.fail(self.engine, held.id, self.name, f"{type(error).__name__}: {error}"[:500])
            return None


class _Heart(threading.Thread):
    """Sends heartbeats while a work is judged.

    Ends the judge if it still judges `LET_END_S` after the worker lost the work.
    """

    def __init__(self, worker: QueueWorker, held: Claimed, process: Judging) -> None:
        super().__init__(name="hotloop-heart", daemon=True)
        self._worker, self._held, self._process = worker, held, process
        self._text = ""
        self._over = threading.Event()

    def say(self, text: str) -> None:
        """Keep the progress text for the next heartbeat."""
        self._text = text

    def run(self) -> None:
        """Send heartbeats until the work is finished."""
        sent, at = "", time.monotonic()
        lost: float | None = None
        while not self._over.wait(BEAT_S):
            text, now = self._text, time.monotonic()
            has_news = text != sent or now - at > QUIET_S
            # A database that is unavailable for a moment is no reason to end the judge.
            with suppress(SQLAlchemyError):
                if not self._is_held(text, has_news):
                    lost = lost or now
            if lost is not None and now - lost >= LET_END_S:
                self._process.kill()
            if has_news:
                sent, at = text, now

    def _is_held(self, text: str, has_news: bool) -> bool:
        worker = self._worker
        if has_news:
            return works.beat(worker.engine, worker.name, text)
        return QUEUE.is_held(worker.engine, self._held.id, worker.name)

    def __enter__(self) -> _Heart:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()


def command(folder: Path, name: str, phase: str) -> list[str]:
    """Return the command that starts a worker."""
    module = "hotloop.service.course.worker"
    return [sys.executable, "-m", module, str(folder), "--name", name, "--phase", phase]


def main() -> None:
    """Judge until this process is told to end, or its parent ends."""
    parser = process.arguments(__doc__)
    parser.add_argument("--phase", choices=["cpu", "gpu"], required=True)
    arguments = parser.parse_args()
    engine = process.begin("worker", arguments.folder)
    # Checks on a GPU are mostly timed, and timed workers are not forked from a warm process.
    start = JudgeProcess if arguments.phase == "gpu" else warm
    worker = QueueWorker(engine, arguments.name, arguments.phase, process=start)
    process.end_by_signal(worker.ending)
    try:
        worker.run()
    except Stopped:
        QUEUE.give_back(engine, worker.name)


if __name__ == "__main__":
    main()
