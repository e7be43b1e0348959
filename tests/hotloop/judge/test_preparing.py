"""Building the simulator is the machine's work: it counts against no budget, and fails as ours."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from errno import ENOSPC
from typing import Any

import numpy as np
import pytest

from hotloop.core import wire
from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.judge.budget import Budget
from hotloop.judge.client import JudgeProcess
from hotloop.judge.exception_attribution import is_ours
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.session import Session
from hotloop.judge.time_limit import Overrun, ending_after
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox.freezer import SignalFreezer

from ..sessions import new_session

build = pytest.importorskip("hotloop.engines.simulate.build", reason="pip install 'hotloop[cuda]'")


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setattr(build, "is_prepared", lambda: False)
    with closing(new_session(budget_s=0.2)) as made:
        yield made


def test_preparing_the_simulator_counts_against_no_budget(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "prepare", lambda _tell: time.sleep(0.25))
    session._prepare_simulator()  # pyright: ignore[reportPrivateUsage]
    assert session.timeout(10) > 0


@pytest.mark.parametrize(
    "problem", [ToolMissing("/home has 3 MB of free space"), OSError(ENOSPC, "No space left", "/x")]
)
def test_a_machine_that_cannot_build_it_says_so_and_measures_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    def refuse(_tell: object) -> None:
        raise problem

    monkeypatch.setattr(build, "prepare", refuse)
    with pytest.raises(Ruling, match=r"on this machine, which costs no points: .*space") as ruling:
        session._prepare_simulator()  # pyright: ignore[reportPrivateUsage]
    assert ruling.value.verdict is Verdict.NOT_MEASURED
    assert session.timeout(10) > 0


def test_who_waits_for_the_build_is_told_how_far_it_is(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(build, "prepare", lambda tell: tell("40 %"))
    replace(session, progress=told.append)._prepare_simulator()  # pyright: ignore[reportPrivateUsage]
    assert told == ["the simulator: 40 %"]


def test_a_simulator_that_cannot_be_prepared_is_ours(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_tell: object) -> None:
        raise RuntimeError("the library was not built")

    monkeypatch.setattr(build, "prepare", broken)
    with pytest.raises(JudgeFault, match="preparing the simulator failed"):
        session._prepare_simulator()  # pyright: ignore[reportPrivateUsage]


def test_who_waits_for_the_judge_is_told() -> None:
    told: list[float] = []
    budget = Budget(0.05, extend=told.append)
    with budget.without(900):
        time.sleep(0.06)
    assert told == [900]
    assert budget.timeout(10) > 0


def test_the_parent_waits_longer_when_it_is_told() -> None:
    ours, theirs = socket.socketpair()
    judge = JudgeProcess()
    judge._control = ours  # pyright: ignore[reportPrivateUsage]
    job: Any = type("Job", (), {"budget_s": -60.0 + 0.05})()  # GRACE_S more is all that is left

    def answer() -> None:
        wire.send(theirs, {"extend": 30.0})
        time.sleep(0.15)
        wire.send(theirs, {"record": {}})

    thread = threading.Thread(target=answer)
    thread.start()
    with pytest.raises(ValueError, match="record"):  # it arrived, and is no record
        judge.collect(job)
    thread.join()
    ours.close()
    theirs.close()


def test_an_alarm_during_a_suspended_deadline_does_not_lose_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hotloop.judge.time_limit.MARGIN_S", 0.0)
    monkeypatch.setattr("hotloop.judge.time_limit._LONGEST_S", 0.05)
    budget = Budget(0.02)

    def suspended_then_late() -> None:
        with ending_after(lambda: budget.deadline):
            with budget.without(1):
                time.sleep(0.05)
            time.sleep(1)

    with pytest.raises(Overrun):
        suspended_then_late()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


@pytest.mark.parametrize("trusted", [True, False])
def test_a_request_that_is_no_json_is_ours(pair: Any, trusted: bool) -> None:
    worker = WorkerConnection(pair[0], SignalFreezer(2**22 - 1), trusted=trusted)
    with pytest.raises(JudgeFault, match="the request 'plan' cannot be sent"):
        worker.send({"op": "plan", "calls": [np.int64(3)]})


def test_a_request_that_quotes_too_much_of_the_candidate_is_the_candidates(pair: Any) -> None:
    text = "\x01" * (wire.MAX_MESSAGE // 5)
    with pytest.raises(Ruling) as caught:
        WorkerConnection(pair[0], SignalFreezer(2**22 - 1), trusted=False).send(
            {"op": "x", "source": text}
        )
    assert caught.value.verdict is Verdict.OUTPUT_LIMIT
    with pytest.raises(JudgeFault):
        WorkerConnection(pair[0], SignalFreezer(2**22 - 1), trusted=True).send(
            {"op": "x", "source": text}
        )


def test_a_number_that_is_infinite_is_no_message() -> None:
    with pytest.raises(wire.WireError):
        wire.decode(b'{"returned": [1e999]}')
    assert wire.decode(b'{"returned": [-1e308]}') == {"returned": [-1e308]}


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (OSError(36, "File name too long"), False),
        (OSError(21, "Is a directory"), False),
        (OSError(2, "No such file or directory"), True),
        (OSError(24, "Too many open files"), True),
    ],
)
def test_an_error_that_a_name_causes_is_the_candidates(error: Exception, ours: bool) -> None:
    assert is_ours(error) is ours
