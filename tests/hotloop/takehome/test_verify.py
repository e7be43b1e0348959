"""What a second judging says about a report."""

from __future__ import annotations

import pytest

from hotloop.judge.record import Record
from hotloop.judge.verdict import Verdict
from hotloop.takehome import grading
from hotloop.takehome import verify as verifying
from hotloop.takehome.intervals import Interval
from hotloop.takehome.report import Report
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.takehome.verify import Verification, VerifyError

from .conftest import Hired
from .made_reports import all_of, record, report_on, rung


class Judged:
    """A team with a report, and a judge that says what it is told."""

    def __init__(self, team: Team, work: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
        self.team, self.submission = team, work
        self.report: Report = report_on(team, work)
        self._patch = monkeypatch

    def again(self, changed: dict[str, Record], report: Report | None = None) -> Verification:
        records = {**self.report.records(), **changed}
        self._patch.setattr(grading, "judge", lambda *_args, **_more: records)
        return verifying.verify(report or self.report, self.team)


@pytest.fixture
def judged(worked: tuple[Hired, Submission], monkeypatch: pytest.MonkeyPatch) -> Judged:
    return Judged(worked[0].team, worked[1], monkeypatch)


def test_the_same_verdicts_hold(judged: Judged) -> None:
    found = judged.again({})
    assert found.holds
    assert found.same_grader
    assert found.then == found.now
    assert {r.standing for r in found.rungs} == {"holds", "open"}


def test_another_verdict_does_not_hold(judged: Judged) -> None:
    found = judged.again({"online_pass": all_of("online_pass", Verdict.WRONG_ANSWER)})
    assert not found.holds
    assert [(r.rung, r.standing) for r in found.rungs if r.task == "online_pass"] == [
        ("correct", "differs")
    ]


def test_what_cannot_be_measured_now_says_nothing(judged: Judged) -> None:
    found = judged.again({"online_pass": all_of("online_pass", Verdict.NOT_MEASURED)})
    assert found.holds
    assert found.rungs[0].standing == "open"


def test_what_a_gpu_settles_is_new(judged: Judged) -> None:
    names = ("correct", "traffic", "compiles", "gpu_correct", "gpu_fast")
    now = record("triton_forward", [rung(name) for name in names])
    found = judged.again({"triton_forward": now})
    assert found.holds
    assert [r.standing for r in found.rungs if r.rung.startswith("gpu")] == ["newly_settled"] * 2


def test_wrong_in_another_way_is_still_wrong(judged: Judged) -> None:
    report = report_on(
        judged.team,
        judged.submission,
        {"online_pass": all_of("online_pass", Verdict.WRONG_ANSWER)},
    )
    crashed = {"online_pass": all_of("online_pass", Verdict.RUNTIME_ERROR)}
    assert judged.again(crashed, report).holds
    caught = {"online_pass": all_of("online_pass", Verdict.TAMPERED)}
    assert not judged.again(caught, report).holds


def test_a_report_with_a_better_score_is_found_out(judged: Judged) -> None:
    better = judged.report.model_copy(update={"score": Interval.exactly(100)})
    found = judged.again({}, better)
    assert not found.holds
    assert found.altered == ["the score does not follow from the records"]


def test_a_report_with_better_points_is_found_out(judged: Judged) -> None:
    task = judged.report.tasks[1].model_copy(update={"points": Interval.exactly(22)})
    tasks = [judged.report.tasks[0], task, *judged.report.tasks[2:]]
    found = judged.again({}, judged.report.model_copy(update={"tasks": tasks}))
    assert found.altered == ["triton_forward: verdict or points do not follow from the record"]


def test_a_deleted_submission_cannot_be_verified(judged: Judged) -> None:
    facts = judged.report.submission.model_copy(update={"digest": "00" * 32})
    gone = judged.report.model_copy(update={"submission": facts})
    with pytest.raises(VerifyError, match="not in this team's folder"):
        judged.again({}, gone)
