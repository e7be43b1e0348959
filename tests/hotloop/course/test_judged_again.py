"""An undecided judging is repeated once, with the same kernel and the full time limit."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core.verdict import Verdict
from hotloop.course.hand_in import HandIn
from hotloop.course.isolation import Isolation
from hotloop.course.notebook_run import NotebookRun, Terms
from hotloop.judge.lease import Lease
from hotloop.sandbox.unconfined import launch_plain

CELLS = [("", "def answer():\n    return 42"), ("answer", "")]


@pytest.fixture
def asked() -> list[tuple[Any, float]]:
    return []


@pytest.fixture
def judged(
    asked: list[tuple[Any, float]], tmp_path: Path, course: Any, make: SimpleNamespace
) -> Any:
    """Runs CELLS with a judge that is undecided for so many judgings; returns the record."""

    def run(undecided: int) -> Any:
        class Unsure(make.SmallJudge):
            def judge(self, job: Any, *rest: Any, **more: Any) -> Any:
                asked.append((job.checks, job.budget_s))
                record = super().judge(job, *rest, **more)
                if len(asked) > undecided:
                    return record
                checks = tuple(
                    replace(check, verdict=Verdict.UNDECIDED, earned=0.0) for check in record.checks
                )
                return replace(record, verdict=Verdict.UNDECIDED, checks=checks)

        isolation = Isolation("none", launch_plain)
        terms = Terms(judge_budget_s=60.0, isolation=lambda: isolation, judge=Unsure)
        files = tmp_path / "files"
        files.mkdir()
        lease = Lease(tmp_path / "lease")
        hand_in = HandIn("ada", "tiny", {})
        notebook = NotebookRun(hand_in, terms, files, lambda _task, _text: None, lease)
        notebook.run(CELLS)
        return notebook.records["answer"]

    return run


@pytest.mark.slow
def test_the_second_judging_counts(judged: Any, asked: list[tuple[Any, float]]) -> None:
    record = judged(undecided=1)
    assert asked == [(None, 60.0), (["correct"], 60.0)]
    assert record.verdict is Verdict.PASSED


@pytest.mark.slow
def test_there_is_no_third_one(judged: Any, asked: list[tuple[Any, float]]) -> None:
    record = judged(undecided=5)
    assert len(asked) == 2
    assert record.verdict is Verdict.UNDECIDED


@pytest.mark.slow
def test_what_is_decided_is_judged_once(judged: Any, asked: list[tuple[Any, float]]) -> None:
    assert judged(undecided=0).verdict is Verdict.PASSED
    assert len(asked) == 1
