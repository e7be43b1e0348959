"""Waiting for the machine does not count as the candidate's time."""

import time
from types import SimpleNamespace
from typing import Any, cast

from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.launcher import Launcher
from hotloop.judge.session import Session

WAIT_S = 0.2


def test_waiting_for_the_machine() -> None:
    events: list[str] = []

    def turn() -> None:
        events.append("waits")
        time.sleep(WAIT_S)

    launcher = Launcher("none")
    session = Session(
        Candidate("nobody"),
        files=None,
        launcher=launcher,
        connect=lambda: None,
        budget=Budget(9, turn),
        device="cpu",
    )
    worker = SimpleNamespace(deadline=session.budget.deadline)
    session._workers.update(cast(Any, {None: worker}))
    before = session.budget.deadline
    session.alone()
    session.alone()
    assert events == ["waits"]
    assert session.budget.deadline >= before + WAIT_S
    assert worker.deadline == session.budget.deadline
