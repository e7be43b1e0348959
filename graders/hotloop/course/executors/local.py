"""Executes on this machine, in this process or in several that live as long as the batch.

If a process dies, it is unknown which of the running submissions caused it: each is tried again
alone, and one that is lost again is reported.
"""

import logging
import multiprocessing
import os
import queue
import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, cast

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.execution import execute
from hotloop.course.executors import ExecutorWork, Lost, Outcome, Outcomes, Tell
from hotloop.course.gpu_checks import open_on_gpu, with_gpu_checks
from hotloop.course.notebook_run import Terms
from hotloop.judge.device import kind
from hotloop.worker.lifetime import end_with_parent

_POLL_S = 0.05
TOGETHER_S = 0.5
"""Most seconds that an outcome waits for others, to be stored in one transaction with them."""
AHEAD = 2
"""Submissions per process that run or wait, so that a process does not wait for this one."""
_DIED = "The process that graded it ended. Grade it again."

log = logging.getLogger("hotloop.course")


@dataclass(frozen=True)
class Local:
    """Executes on this machine. jobs: submissions at once.

    Speed measurements still have the machine to themselves.
    """

    jobs: int = 1

    def run(self, works: Iterable[ExecutorWork], terms: Terms, tell: Tell) -> Generator[Outcomes]:
        """Yield groups of outcomes. Ctrl-C also ends the worker processes."""
        if self.jobs > 1:
            yield from _at_once(works, terms, tell, self.jobs)
            return
        for work in works:
            tell(work.key, "", "starting")
            yield [(work.key, attempt(work, terms, tell))]

    def has_gpu(self) -> bool:
        """True if this machine has a CUDA GPU."""
        return kind() == "cuda"


def attempt(work: ExecutorWork, terms: Terms, tell: Tell) -> Attempt | Lost:
    """Execute in this process; errors of the platform are logged and returned as Lost."""
    if work.earlier is not None:
        terms = replace(terms, checks=open_on_gpu(work.earlier))
    try:
        result = execute(work.hand_in, terms, lambda task, text: tell(work.key, task, text))
        return result if work.earlier is None else with_gpu_checks(work.earlier, result)
    except Exception as error:
        log.exception("%s was not executed", work.key)
        return Lost(f"{type(error).__name__}: {error}")


def _at_once(
    works: Iterable[ExecutorWork], terms: Terms, tell: Tell, jobs: int
) -> Generator[Outcomes]:
    waiting = iter(works)
    while True:
        suspects: list[ExecutorWork] = []
        yield from _pool(waiting, terms, tell, jobs, suspects)
        if not suspects:
            return
        for suspect in suspects:
            again: list[ExecutorWork] = []
            yield from _pool(iter([suspect]), terms, tell, 1, again)
            if again:
                yield [(suspect.key, Lost(_DIED))]


def _pool(
    works: Iterator[ExecutorWork], terms: Terms, tell: Tell, jobs: int, suspects: list[ExecutorWork]
) -> Generator[Outcomes]:
    """Execute `works` until a process dies; then put the running ones into `suspects`."""
    context = multiprocessing.get_context("spawn")
    steps: Any = context.Queue()
    pool = ProcessPoolExecutor(jobs, context, _begin, (steps, terms))
    running: dict[Future[Attempt | Lost], ExecutorWork] = {}
    ended: list[Outcome] = []
    first_ended = 0.0
    try:
        _fill(pool, works, running, jobs)
        while running or ended:
            done, _ = wait(running, _POLL_S, FIRST_COMPLETED)
            for step in _waiting(steps):
                tell(*step)
            first_ended = first_ended if ended else time.monotonic()
            for future in done:
                work = running.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    suspects.append(work)
                else:
                    ended.append((work.key, future.result()))
            # Also without an outcome, since a lazy source of work may have more by now.
            if not suspects:
                _fill(pool, works, running, jobs)
            if ended and (not running or time.monotonic() - first_ended >= TOGETHER_S):
                yield ended
                ended = []
    finally:
        # Without waiting for running submissions; Python 3.14 has a public method to kill them.
        processes = cast(dict[int, Any], getattr(pool, "_processes", None) or {})
        started = list(processes.values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in started:
            process.terminate()


def _fill(
    pool: ProcessPoolExecutor,
    works: Iterator[ExecutorWork],
    running: dict[Future[Attempt | Lost], ExecutorWork],
    jobs: int,
) -> None:
    """Submit as much as may run or wait."""
    for work in islice(works, AHEAD * jobs - len(running)):
        running[_submitted(pool, work)] = work


def _submitted(pool: ProcessPoolExecutor, work: ExecutorWork) -> Future[Attempt | Lost]:
    """Submit work; return a failed future if a process has died in the meantime."""
    try:
        return pool.submit(_execute, work)
    except BrokenProcessPool as error:
        failed = Future[Attempt | Lost]()
        failed.set_exception(error)
        return failed


def _waiting(steps: Any) -> Iterator[tuple[str, str, str]]:
    while True:
        try:
            yield steps.get_nowait()
        except queue.Empty:
            return


# --- in an executing process ----------------------------------------------------------------------

_steps: Any = None
_terms: Terms | None = None


def _begin(steps: Any, terms: Terms) -> None:
    global _steps, _terms
    end_with_parent()
    parent = multiprocessing.parent_process()
    if parent is not None and os.getppid() != parent.pid:
        # The parent ended while this process was starting, before the kernel could be told to end
        # it.
        os._exit(1)
    _steps, _terms = steps, terms


def _execute(work: ExecutorWork) -> Attempt | Lost:
    def tell(key: str, task: str, text: str) -> None:
        _steps.put((key, task, text))

    assert _terms is not None
    tell(work.key, "", "starting")
    return attempt(work, _terms, tell)
