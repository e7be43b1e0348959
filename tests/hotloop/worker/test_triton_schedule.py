"""Programs that wait for each other: there are threads for all of them, or that is said."""

import threading

import pytest

from hotloop.judge.launcher import MANY_PROCESSES
from hotloop.worker.triton_schedule import RESIDENT, Schedule


def test_a_worker_may_have_a_thread_for_each_resident_program() -> None:
    others = 200  # torch's, the watchdog's
    assert RESIDENT + others <= MANY_PROCESSES


def test_threads_that_cannot_start_end_the_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    """It used to wait for ever for the thread that was never there."""
    start = threading.Thread.start

    def few(thread: threading.Thread) -> None:
        if threading.active_count() > before + 3:
            raise RuntimeError("can't start new thread")
        start(thread)

    def wait(_number: int) -> None:
        for _ in range(9):
            schedule.repeats(same=False, reason=None)

    before = threading.active_count()
    monkeypatch.setattr(threading.Thread, "start", few)
    schedule = Schedule(None, lambda: 0)
    ended: list[str] = []

    def run() -> None:
        try:
            schedule.run(9, wait, lambda _n: None)
        except RuntimeError as error:
            ended.append(str(error))

    runner = threading.Thread(target=run, daemon=True)
    start(runner)
    runner.join(20)
    assert ended == ["can't start new thread"]
