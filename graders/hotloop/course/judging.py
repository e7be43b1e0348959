"""Asks the judge, with a notebook's kernel as its worker if the task needs one."""

import atexit
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Protocol

from hotloop.core.record import Record
from hotloop.course.judging_corrections import with_death
from hotloop.course.kernel import SERVE_JUDGE, ConfinedKernel
from hotloop.judge.client import JudgeProcess, lost
from hotloop.judge.job import Job
from hotloop.tasks.notebook_cells import writable

SETTLE_S = 5.0
"""Seconds for a kernel to become free after the judge is done with it."""
_POLL_S = 0.002
"""Seconds between two looks for the judge's socket, which is there after some milliseconds."""

log = logging.getLogger("hotloop.course")

Say = Callable[[str], None]


class Judge(Protocol):
    """Gives verdicts; implemented by `hotloop.judge.client.JudgeProcess`."""

    def judge(self, job: Job, on_progress: Say = ..., *, turn: Callable[[], None] = ...) -> Record:
        """Return the record of one job. turn: called before the judge measures."""
        ...


def ask(
    judge: Callable[[], Judge],
    job: Job,
    kernel: ConfinedKernel | None,
    say: Say,
    turn: Callable[[], None] = lambda: None,
) -> Record:
    """Return the judge's record. The kernel is lent to the judge once it listens.

    Nothing that the kernel does raises here; a failure of the judge gives judge_error.
    """
    request = None
    future = _thread.submit(_ask, judge, job, say, turn)
    try:
        while kernel is not None and request is None and not future.done():
            if kernel.judge_socket.exists():
                request = kernel.begin(SERVE_JUDGE)
            wait([future], timeout=_POLL_S)
        record = future.result()
    except BaseException:
        # Ctrl-C: do not leave the judge working until its budget ends.
        if _process is not None:
            _process.kill()
        raise
    if kernel is None or request is None or kernel.settle(request, SETTLE_S):
        return record
    return with_death(record, kernel.death)


def shared_judge() -> JudgeProcess:
    """Return this process's judge, which lives until the process ends."""
    global _process
    if _process is None:
        _process = JudgeProcess()
        atexit.register(_process.close)
    return _process


def _ask(judge: Callable[[], Judge], job: Job, say: Say, turn: Callable[[], None]) -> Record:
    try:
        record = judge().judge(job, say, turn=turn)
        # Sentences may quote a learner's messages, with lone surrogates.
        text = writable(json.dumps(record.to_json(), ensure_ascii=False))
        return Record.from_json(json.loads(text))
    except Exception as error:
        log.exception("judging %s.%s failed", job.module, job.task)
        return lost(job, error)


_process: JudgeProcess | None = None
_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hotloop-judge")
"""One thread for the whole process, since a judge dies with the thread that started it."""
