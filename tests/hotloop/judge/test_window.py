"""A window on a CPU: whose waiting counts, and that work in what ends meanwhile is work."""

from typing import Any, cast

import pytest

from hotloop.judge import window
from hotloop.judge.candidate import Candidate
from hotloop.judge.seeds import Seeds
from hotloop.judge.stolen_time import FOREIGN_SHARE, crowded, foreign_share
from hotloop.judge.window import TimedWorker, Window, Workload
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox.processes import ThreadTime, Usage

MS = 1_000_000


def usage(*threads: tuple[int, int], ended_ms: int = 0) -> Usage:
    """Return the usage of threads 1, 2, ... with these milliseconds on a CPU and waiting."""
    times = {n: ThreadTime(cpu * MS, wait * MS) for n, (cpu, wait) in enumerate(threads, start=1)}
    return Usage(times, (ended_ms + sum(cpu for cpu, _ in threads)) * MS)


@pytest.mark.parametrize(
    ("cpu_ms", "wait_ms", "stolen_s", "share"),
    [
        (100, 500, 0.0, 0.0),  # it has the whole core: any waiting is for itself
        (100, 0, 0.0, 0.0),
        (0, 0, 0.0, 0.0),  # it sleeps
        (60, 10, 0.0, 0.1),
        (60, 90, 0.0, 0.4),  # at most what it did not use
        (130, 90, 0.0, 0.0),
        (100, 0, 0.02, 0.2),
    ],
)
def test_the_share_of_others(cpu_ms: int, wait_ms: int, stolen_s: float, share: float) -> None:
    before, after = usage((7, 9)), usage((cpu_ms + 7, wait_ms + 9))
    assert foreign_share(before, after, 0.1, 1, stolen_s) == pytest.approx(share)


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        # Two processes used the core that the first one waited for, and ended.
        ([(0, 0)], usage((40, 60), ended_ms=60), 0.0),
        # One that existed before has ended: what it waited for is not taken back from the others.
        ([(0, 0), (500, 900)], usage((40, 30), ended_ms=530), 0.3),
    ],
)
def test_who_ended_used_time_all_the_same(
    before: list[tuple[int, int]], after: Usage, share: float
) -> None:
    assert foreign_share(usage(*before), after, 0.1, 1, 0.0) == pytest.approx(share)


@pytest.mark.parametrize(
    ("after", "cores", "more"),
    [
        (usage((90, 5)), 1, False),
        (usage((90, 5), (4, 50)), 1, False),  # a thread that hardly runs, as a runtime has many
        (usage((50, 40), (45, 50)), 1, True),
        (usage((50, 40), (45, 50)), 2, False),
        (usage((50, 40), ended_ms=30), 2, True),
        (usage((50, 40), ended_ms=3), 1, False),
    ],
)
def test_more_threads_than_cores(after: Usage, cores: int, more: bool) -> None:
    assert crowded(usage(), after, 0.1, cores) is more


class Processes:
    """A worker whose tree uses a window as `ran`, and which stands still otherwise.

    after: what has run until it is frozen, if that is more.
    """

    def __init__(self, ran: Usage, after: Usage | None = None, *, trusted: bool = False) -> None:
        self.trusted = trusted
        self.freezer = self
        self.usages = [ran, after or ran]
        self.current = usage((0, 0), (0, 0))

    def usage(self) -> Usage:
        return self.current

    usage_while_running = usage

    def send(self, _message: Any) -> None:
        """The calls are nobody's."""

    def thaw(self) -> None:
        """It runs until it is asked for its answer."""

    def receive(self, _deadline: float) -> None:
        self.current = self.usages[0]

    def freeze(self) -> None:
        self.current = self.usages[1] if self.current is self.usages[0] else self.current


def measured(
    processes: Processes, monkeypatch: pytest.MonkeyPatch, *, cores: int = 1, read_s: float = 0.0
) -> Window:
    """Return a window that began at 0 s, was thawed and answered at 0.1 s, and frozen at 0.2 s.

    read_s: how long its times were read after the answer.
    """
    times = iter([0.0, 0.0, 0.1, 0.1 + read_s, 0.2])
    monkeypatch.setattr(window, "now", lambda: next(times))
    monkeypatch.setattr(window, "steal_seconds", lambda: 0.0)
    workload = Workload(lambda *_: cast(Any, None), lambda *_: None)
    side = TimedWorker(
        cast(WorkerConnection, processes), Candidate("f", "f.py"), workload, cores, Seeds()
    )
    monkeypatch.setattr(side, "_verify", lambda: None)
    return side.window([])


def test_a_candidates_threads_that_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes decode beside the loop and end: it waits for them, and later they are gone."""
    ran = usage((55, 40), (0, 0), ended_ms=130)
    assert measured(Processes(ran), monkeypatch, cores=2).counts
    ran = usage((40, 20), (45, 35))
    assert measured(Processes(ran), monkeypatch, cores=1).counts


def test_what_others_took_of_a_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = usage((60, 30), (1, 1))
    assert measured(Processes(ran), monkeypatch).foreign == pytest.approx(0.31)
    ran = usage((60, 30), (60, 30))
    assert measured(Processes(ran), monkeypatch, cores=2).foreign > FOREIGN_SHARE


def test_the_windows_of_a_baseline_tell_whether_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = usage((40, 20), (45, 35))
    assert not measured(Processes(ran, trusted=True), monkeypatch).counts


@pytest.mark.parametrize(
    ("after", "seconds"),
    [
        (usage((50, 0), (50, 0)), 0.1),
        (usage((50, 0), (60, 0)), 0.2),
        # It ended before it was seen again: its time is not lost, or at least its end is seen.
        (usage((50, 0), ended_ms=60), 0.2),
        (usage((50, 0), ended_ms=50), 0.2),
        (usage((50, 0)), 0.2),
    ],
    ids=["waits", "computes on", "ends", "ends at once", "ends uncounted"],
)
def test_who_works_on_after_the_answer_is_timed_until_it_stands_still(
    after: Usage, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = usage((50, 0), (50, 0))
    assert measured(Processes(ran, after), monkeypatch).seconds == pytest.approx(seconds)


@pytest.mark.parametrize(("read_s", "seconds"), [(0.0001, 0.1), (0.02, 0.12)])
def test_what_could_be_done_while_its_times_are_read_is_timed(
    read_s: float, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is over before they were read looks like work from before the answer."""
    ran = usage((50, 0), (50, 0))
    side = measured(Processes(ran), monkeypatch, read_s=read_s)
    assert side.seconds == pytest.approx(seconds)
