"""Several submissions at once, each in a process of its own that grades one after the other.

A grading process that dies loses one submission: that one is reported, its points stay open, and
the others go on.
"""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any

from hotloop.course.grade_one import Order, grade_one
from hotloop.course.progress import Progress
from hotloop.course.results import Graded, results
from hotloop.worker.lifetime import end_with_parent

_POLL_S = 0.1
_DIED = "The process that graded it ended. Grade it again."

Step = tuple[str, str, str, str]
"""Learner, module, task and what is being done."""


def in_parallel(
    orders: Sequence[Order], on_progress: Callable[[Progress], None], jobs: int
) -> list[Graded]:
    """What came of each, in their order. Ctrl-C ends the grading processes too."""
    came: dict[Order, Graded] = {}
    suspects: list[Order] = []
    while left := [order for order in orders if order not in came]:
        # Nobody says which of those that were under way has ended the processes of all: each of
        # them is tried again by itself.
        batch, width = ([suspects.pop(0)], 1) if suspects else (left, jobs)
        before = len(came)

        def tell(step: Step, done: int, before: int = before) -> None:
            on_progress(Progress(*step, before + done, len(orders)))

        done = _run(batch, width, tell)
        came.update(done)
        lost = [order for order in batch if order not in done]
        if len(batch) == 1:
            came.update({order: _died(order) for order in lost})
        elif lost:
            suspects = lost[: jobs + 1]
    return [came[order] for order in orders]


def _run(
    batch: Sequence[Order], jobs: int, tell: Callable[[Step, int], None]
) -> dict[Order, Graded]:
    """What was graded before a process died, if one did."""
    context = multiprocessing.get_context("spawn")
    steps: Any = context.Queue()
    with ProcessPoolExecutor(jobs, context, _begin, (steps,)) as pool:
        futures = {pool.submit(_grade, order): order for order in batch}
        try:
            return _watched(futures, steps, tell)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _watched(
    futures: Mapping[Future[Graded], Order], steps: Any, tell: Callable[[Step, int], None]
) -> dict[Order, Graded]:
    left, came = set(futures), dict[Order, Graded]()
    while left:
        done, left = wait(left, _POLL_S)
        for future in done:
            with suppress(BrokenProcessPool):
                came[futures[future]] = future.result()
        for step in _waiting(steps):
            tell(step, len(came))
    return came


def _waiting(steps: Any) -> Iterator[Step]:
    while True:
        try:
            yield steps.get_nowait()
        except queue.Empty:
            return


def _died(order: Order) -> Graded:
    found = results(order.root, order.student, order.module)
    return Graded(found, problems={f"{order.student}/{order.module}": _DIED})


# --- in a grading process -------------------------------------------------------------------------

_steps: Any = None


def _begin(steps: Any) -> None:
    global _steps
    end_with_parent()
    _steps = steps


def _grade(order: Order) -> Graded:
    def tell(_student: str, task: str, text: str) -> None:
        _steps.put((order.student, order.module, task, text))

    tell("", "", "starting")
    return grade_one(order, tell)
