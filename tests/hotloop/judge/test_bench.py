"""Waiting for the machine is not the candidate's time."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

from hotloop.judge.bench import Bench
from hotloop.judge.launcher import Launcher

WAIT_S = 0.2


def test_waiting_for_the_machine() -> None:
    events: list[str] = []

    def turn() -> None:
        events.append("waits")
        time.sleep(WAIT_S)

    launcher = Launcher("none")
    bench = Bench(
        files=None, launcher=launcher, connect=lambda: None, budget_s=9, device="cpu", turn=turn
    )
    link = SimpleNamespace(deadline=bench.deadline)
    bench._workers.update(cast(Any, {None: link}))
    before = bench.deadline
    bench.have_machine_alone()
    bench.have_machine_alone()
    assert events == ["waits"]
    assert bench.deadline >= before + WAIT_S
    assert link.deadline == bench.deadline
