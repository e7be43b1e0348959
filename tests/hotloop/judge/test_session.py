"""Waiting for the machine does not count as the candidate's time."""

import time

import pytest

from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.launcher import Launcher
from hotloop.judge.session import Session
from hotloop.judge.spec import TaskSpec

from ..sessions import new_session

WAIT_S = 0.2


def test_waiting_for_the_machine() -> None:
    events: list[str] = []

    def turn() -> None:
        events.append("waits")
        time.sleep(WAIT_S)

    session = Session(
        Candidate("nobody"),
        SubmissionFiles(None),
        Launcher("none"),
        Budget(9, turn),
    )
    before = session.budget.deadline
    session.alone()
    session.alone()
    assert events == ["waits"]
    assert session.budget.deadline >= before + WAIT_S
    assert session.budget.turn_s >= WAIT_S


def test_the_files_that_the_learner_edits_are_those_of_module_yaml() -> None:
    session = new_session(spec=TaskSpec("answer", ("kernel.cu", "service.py")))
    assert session.edited == ("kernel.cu", "service.py")
    with pytest.raises(JudgeFault, match="no files"):
        _ = new_session().edited
