"""A worker's threads are pinned to a core each, from outside, and released afterwards."""

import os
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hotloop.judge import scheduling
from hotloop.judge.worker_connection import WorkerConnection

CORES = sorted(os.sched_getaffinity(0))


class FakeFreezer:
    """A freezer of the threads that the test has started in this process."""

    def __init__(self, tasks: list[int]) -> None:
        self.tasks = tasks

    def usage(self) -> Any:
        return SimpleNamespace(tasks=self.tasks)

    def set_affinity(self, cpus: set[int]) -> None:
        for task in self.tasks:
            os.sched_setaffinity(task, cpus)


@pytest.fixture
def worker() -> Iterator[WorkerConnection]:
    """A worker with a busy thread, a busier one, and one that sleeps."""
    stop, ids = threading.Event(), []
    started = threading.Barrier(4)

    def work(turns: int) -> None:
        ids.append((turns, threading.get_native_id()))
        for _ in range(turns):
            sum(range(20_000))
        started.wait()
        stop.wait()

    threads = [threading.Thread(target=work, args=(turns,)) for turns in (0, 300, 900)]
    for thread in threads:
        thread.start()
    started.wait()
    tasks = [task for _, task in sorted(ids)]
    yield cast(WorkerConnection, SimpleNamespace(freezer=FakeFreezer(tasks)))
    stop.set()
    for thread in threads:
        thread.join()


@pytest.mark.slow
@pytest.mark.skipif(len(CORES) < 2, reason="binding to different cores needs two of them")
def test_the_busiest_threads_get_a_core_each(worker: WorkerConnection) -> None:
    scheduling.spread(worker, 2)
    idle, busy, busiest = (os.sched_getaffinity(t) for t in worker.freezer.usage().tasks)
    assert busiest == {CORES[0]}
    assert busy == {CORES[1]}
    assert idle == set(CORES)
    assert scheduling.cores_of(worker) == set(CORES)


@pytest.mark.slow
def test_more_threads_than_cores_are_left_free(worker: WorkerConnection) -> None:
    scheduling.spread(worker, len(CORES) + 5)
    bound = [t for t in worker.freezer.usage().tasks if len(os.sched_getaffinity(t)) == 1]
    assert len(bound) <= len(CORES)


@pytest.mark.parametrize(
    ("classes", "outranks"),
    [
        ([os.SCHED_RR, os.SCHED_RR], True),
        ([os.SCHED_RR, os.SCHED_OTHER], False),
        ([os.SCHED_RR, None], True),  # one that has ended
    ],
)
def test_only_a_whole_tree_of_real_time_threads_outranks_all(
    monkeypatch: pytest.MonkeyPatch, classes: list[int | None], outranks: bool
) -> None:
    def class_of(task: int) -> int:
        found = classes[task]
        if found is None:
            raise ProcessLookupError
        return found

    monkeypatch.setattr(os, "sched_getscheduler", class_of)
    assert scheduling.outranks_all(range(len(classes))) == outranks


@pytest.mark.slow
def test_ordinary_threads_outrank_nobody(worker: WorkerConnection) -> None:
    assert not scheduling.outranks_all(worker.freezer.usage().tasks)
    scheduling.promote(worker)
    promoted = all(os.sched_getscheduler(t) == os.SCHED_RR for t in worker.freezer.usage().tasks)
    assert scheduling.outranks_all(worker.freezer.usage().tasks) == promoted
