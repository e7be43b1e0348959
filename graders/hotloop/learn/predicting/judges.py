"""Judges several works at once, each in a judge process of its own."""

import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from hotloop.core.closing import Closing
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.learn.predicting.outcomes import JudgedPrediction, outcome
from hotloop.learn.predicting.own_code import PredictedSubmission
from hotloop.tasks.local_judging import default_jobs, judge_folder

BUDGET_S = 180.0
"""Time limit for judging one task once, in seconds."""

_COMPILES = "compiles"
"""The check that compiles for several GPUs; skipped, as it is slow and changes few outcomes."""


T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class JudgingRequest:
    """One judging of a task. seed: as in `Job`."""

    work: PredictedSubmission
    task: str
    seed: str
    budget_s: float = BUDGET_S


class Judges(Closing):
    """Judge processes that work at once; they start with their first work. Close them."""

    def __init__(self, count: int = 0) -> None:
        """Prepare `count` processes, by default as many as this machine has room for."""
        self._processes = [JudgeProcess() for _ in range(count or default_jobs())]
        # A judge process ends with the thread that started it: these live until `close`.
        self._threads = ThreadPoolExecutor(len(self._processes), thread_name_prefix="judges")
        self._free: SimpleQueue[JudgeProcess] = SimpleQueue()
        for process in self._processes:
            self._free.put(process)

    def judge(self, requests: Iterable[JudgingRequest]) -> list[JudgedPrediction | None]:
        """Return the outcomes in the order of the requests; None where there is none."""
        return list(self._threads.map(self._judged, requests))

    def each(self, function: Callable[[T], R], values: Iterable[T]) -> list[R]:
        """Return the function's results, several at once, as many as there are judge processes."""
        return list(self._threads.map(function, values))

    def _judged(self, request: JudgingRequest) -> JudgedPrediction | None:
        process = self._free.get()
        try:
            return judged(request.work, request.task, request.seed, process, request.budget_s)
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End the processes, and with them what they are judging."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.close()
        self._threads.shutdown()


def judged(
    work: PredictedSubmission,
    task: str,
    seed: str,
    process: JudgeProcess,
    budget_s: float = BUDGET_S,
) -> JudgedPrediction | None:
    """Judge a task's code once, with the checks that need neither a timer nor a GPU.

    Returns None if there is no outcome. seed: as in `Job`.
    """
    checks = [
        check.id
        for check in work.module.task(task).checks
        if check.threshold is None and not check.needs_gpu and check.id != _COMPILES
    ]
    with tempfile.TemporaryDirectory(prefix="hotloop-") as folder:
        lay_out(work.files, Path(folder))
        records = judge_folder(
            Path(folder),
            work.module.id,
            [task],
            checks,
            judge=process,
            budget_s=budget_s,
            variant=work.variant,
            given=work.digests,
            seed=seed,
            device="cpu",
        )
    return outcome(records[task].checks)
