"""The judge's own work, divided among its cores."""

import os
import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from hotloop.judge import parallel_work


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Resets the caches, as in a judge that has not yet determined its cores."""
    for asked in (parallel_work._threads, parallel_work._cores):
        asked.cache_clear()
    yield
    for asked in (parallel_work._threads, parallel_work._cores):
        asked.cache_clear()


@pytest.mark.parametrize("count", [0, 1, 2, 7, 50])
def test_every_item_is_in_one_share(count: int) -> None:
    seen: list[int] = []
    parallel_work.in_shares(range(count), lambda _number, share: seen.extend(share))
    assert sorted(seen) == list(range(count))


def test_shares_have_numbers_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_work, "_threads", lambda: 3)
    shares: dict[int, Sequence[int]] = {}
    parallel_work.in_shares(range(8), lambda number, share: shares.update({number: share}))
    assert {number: list(share) for number, share in shares.items()} == {
        0: [0, 3, 6],
        1: [1, 4, 7],
        2: [2, 5],
    }


def test_what_a_share_raises_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_work, "_threads", lambda: 2)

    def work(number: int, _share: Sequence[int]) -> None:
        if number:
            raise ValueError("the second share")

    with pytest.raises(ValueError, match="the second share"):
        parallel_work.in_shares([1, 2], work)


def test_a_failure_waits_for_the_other_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_work, "_threads", lambda: 2)
    finished: list[int] = []

    def work(number: int, _share: Sequence[int]) -> None:
        if number == 0:
            raise ValueError("the first share")
        time.sleep(0.1)
        finished.append(number)

    with pytest.raises(ValueError, match="the first share"):
        parallel_work.in_shares([1, 2], work)
    assert finished == [1]


def test_threads_may_use_cores_that_the_judge_keeps_off() -> None:
    """While speed is measured, the judge's own thread is bound to the remaining cores."""
    every = os.sched_getaffinity(0)
    if len(every) == 1:
        pytest.skip("one core: there is none to keep off")
    found: list[set[int]] = []
    parallel_work.in_shares([1, 2], lambda _number, _share: None)

    def judge() -> None:
        os.sched_setaffinity(0, {min(every)})
        parallel_work.in_shares(
            [1, 2], lambda _number, _share: found.append(os.sched_getaffinity(0))
        )

    thread = threading.Thread(target=judge)
    thread.start()
    thread.join()
    assert found == [every, every]
