"""Tasks are found by module and name, and define how their candidate is called."""

from typing import Any

import pytest

from hotloop.judge.candidate import Candidate
from hotloop.judge.check import as_check, check
from hotloop.judge.session import Session
from hotloop.judge.spec import TaskSpec
from hotloop.judge.task import fills_tensor, find, returns_data
from hotloop.tasks import curriculum


@pytest.mark.parametrize(
    ("module", "task"),
    [
        ("fused_softmax", "no_such_task"),
        ("fused_softmax", "Correct"),  # imported there, not a task
        ("no_such_module", "x"),
        ("fused_softmax.baselines", "copy"),
        ("../cli", "x"),
    ],
)
def test_only_tasks_are_found(module: str, task: str) -> None:
    with pytest.raises(KeyError):
        find(module, task)


def _passes(_session: Session) -> str:
    return "Good."


def test_a_task_is_found() -> None:
    assert "correct" in find("fused_softmax", "online_pass").checks


def test_the_candidate_is_in_the_last_file() -> None:
    spec = TaskSpec("solve", ("first.cu", "second.py"))
    assert fills_tensor("numpy", correct=_passes).candidate(spec) == Candidate(
        "solve", "second.py", "destination", "numpy"
    )
    notebook = TaskSpec("solve", ("helper.py", "lab.ipynb"))
    assert returns_data(correct=_passes).candidate(notebook).file is None


def test_only_the_checks_that_are_asked_for_make_it_timed() -> None:
    timed: Any = check(timed=True)(lambda _session: "Fast.")
    task = returns_data(correct=_passes, fast=timed)
    assert task.is_timed()
    assert task.is_timed(frozenset({"fast"}))
    assert not task.is_timed(frozenset({"correct"}))


@pytest.mark.slow
def test_what_is_not_right_is_never_measured() -> None:
    """A measurement takes the whole machine for itself, so it comes after a check of answers."""
    measured = [
        (f"{module.id}.{task.id}", spec.id, find(module.id, task.id).checks[spec.id])
        for module in curriculum.modules()
        for task in module.tasks
        if task.kind == "code"
        for spec in task.checks
        if spec.threshold is not None
    ]
    assert len(measured) >= 40
    assert not [(task, name) for task, name, one in measured if not as_check(one).prerequisites]
