"""Programs that wait for each other need no threads: a sandbox allows 64 of them."""

import threading

import numpy as np
import pytest

from hotloop.worker.triton_schedule import RESIDENT, Hang, Schedule


@pytest.mark.parametrize("order", [None, 3], ids=["in order", "in any order"])
def test_all_resident_programs_may_wait_for_the_last_one(order: int | None) -> None:
    arrived: set[int] = set()
    threads = threading.active_count()

    def body(number: int) -> None:
        arrived.add(number)
        while len(arrived) < RESIDENT:
            schedule.repeats(same=True, reason="a barrier of the grid")
        assert threading.active_count() == threads

    random = None if order is None else np.random.default_rng(order)
    schedule = Schedule(random, lambda: len(arrived))
    schedule.run(RESIDENT, body, lambda _number: None)
    assert len(arrived) == RESIDENT


def test_a_wait_that_no_program_ends_is_a_hang() -> None:
    def body(_number: int) -> None:
        while True:
            schedule.repeats(same=True, reason="a flag")

    schedule = Schedule(None, lambda: 0)
    with pytest.raises(Hang, match="a flag"):
        schedule.run(9, body, lambda _number: None)
