"""What a second judging says about a report."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from hotloop.core.intervals import Interval
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.takehome import execution, grading
from hotloop.takehome import verify as verifying
from hotloop.takehome.report import TakehomeReport, read_report, to_json
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.takehome.verify import Verification, VerifyError

from .conftest import Hired
from .made_reports import SPEED, all_of, as_given, check, record, report_on


class Judged:
    """A team with a report, and a judge with given verdicts."""

    def __init__(self, team: Team, work: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
        self.team, self.submission = team, work
        self.report: TakehomeReport = report_on(team, work)
        self._patch = monkeypatch

    def again(
        self, changed: dict[str, Record], report: TakehomeReport | None = None
    ) -> Verification:
        records = as_given({**self.report.records(), **changed}, self.submission, self.team)
        self._patch.setattr(execution, "judged", lambda *_args, **_more: records)
        return verifying.verify(report or self.report, self.team)


@pytest.fixture
def judged(worked: tuple[Hired, Submission], monkeypatch: pytest.MonkeyPatch) -> Judged:
    return Judged(worked[0].team, worked[1], monkeypatch)


@pytest.mark.slow
def test_the_same_verdicts_hold(judged: Judged) -> None:
    found = judged.again({})
    assert found.holds
    assert found.same_grader
    assert found.then == found.now
    assert {r.standing for r in found.checks} == {"holds", "open"}


@pytest.mark.slow
def test_another_verdict_does_not_hold(judged: Judged) -> None:
    found = judged.again({"online_pass": all_of("online_pass", Verdict.WRONG_ANSWER)})
    assert not found.holds
    assert [(r.check, r.standing) for r in found.checks if r.task == "online_pass"] == [
        ("correct", "differs"),
        ("one_pass", "differs"),
    ]


@pytest.mark.slow
def test_what_cannot_be_measured_now_says_nothing(judged: Judged) -> None:
    found = judged.again({"online_pass": all_of("online_pass", Verdict.NOT_MEASURED)})
    assert found.holds
    assert found.checks[0].standing == "open"


@pytest.mark.slow
def test_what_a_gpu_settles_is_new(judged: Judged) -> None:
    names = ("correct", "traffic", "compiles", "gpu_correct", "gpu_fast")
    now = record("triton_forward", [check(name) for name in names])
    found = judged.again({"triton_forward": now})
    assert found.holds
    assert [r.standing for r in found.checks if r.check.startswith("gpu")] == ["newly_settled"] * 2


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_report_with_a_better_score_is_found_out(judged: Judged) -> None:
    better = judged.report.model_copy(update={"score": Interval.exactly(100)})
    found = judged.again({}, better)
    assert not found.holds
    assert found.altered == ["the score does not follow from the records"]


@pytest.mark.slow
def test_a_report_with_better_points_is_found_out(judged: Judged) -> None:
    task = judged.report.tasks[1].model_copy(update={"points": Interval.exactly(22)})
    tasks = [judged.report.tasks[0], task, *judged.report.tasks[2:]]
    found = judged.again({}, judged.report.model_copy(update={"tasks": tasks}))
    assert found.altered == ["triton_forward: verdict or points do not follow from the record"]


@pytest.mark.slow
def test_a_report_that_names_the_courses_commands_still_holds(judged: Judged) -> None:
    """Such as reports made before the team's own command was named."""
    said = "It needs a GPU, with the same `hotloop check` or `hotloop course grade`."
    records = {"online_pass": all_of("online_pass", Verdict.NOT_MEASURED, said)}
    report = report_on(judged.team, judged.submission, records)
    task = report.tasks[0]
    checks = [check.model_copy(update={"sentence": said}) for check in task.checks]
    assert checks != task.checks
    tasks = [task.model_copy(update={"checks": checks}), *report.tasks[1:]]
    found = judged.again(records, report.model_copy(update={"tasks": tasks}))
    assert found.altered == []
    assert found.checks[0].sentence == "It needs a GPU, with `hotloop takehome grade`."


def test_a_deleted_submission_cannot_be_verified(judged: Judged) -> None:
    facts = judged.report.submission.model_copy(update={"digest": "00" * 32})
    gone = judged.report.model_copy(update={"submission": facts})
    with pytest.raises(VerifyError, match="not in this team's folder"):
        judged.again({}, gone)


@pytest.mark.slow
def test_a_report_on_somebody_else_is_found_out(judged: Judged) -> None:
    for change in ({"pseudonym": "amber-otter-11"}, {"role": "another"}):
        found = judged.again({}, judged.report.model_copy(update=change))
        assert found.altered == ["candidate, role, module or submission are not those of the pack"]


@pytest.mark.slow
def test_tasks_that_are_missing_or_weigh_otherwise_are_found_out(judged: Judged) -> None:
    first, *others = judged.report.tasks
    fewer = judged.report.model_copy(update={"tasks": others})
    assert "its tasks are not those of the pack" in judged.again({}, fewer).altered
    heavier = first.model_copy(update={"weight": 50.0})
    found = judged.again({}, judged.report.model_copy(update={"tasks": [heavier, *others]}))
    assert found.altered == ["online_pass: verdict or points do not follow from the record"]
    invented = first.model_copy(update={"task": "invented"})
    more = judged.report.model_copy(update={"tasks": [first, *others, invented]})
    assert not judged.again({}, more).holds


@pytest.mark.slow
def test_a_check_that_says_more_than_its_record_is_found_out(judged: Judged) -> None:
    """`compare` sums points of checks."""
    task = judged.report.task("triton_forward")
    checks = [check.model_copy(update={"points": Interval.exactly(check.possible)})
             for check in task.checks]  # fmt: skip
    better = task.model_copy(update={"checks": checks})
    tasks = [better if one.task == better.task else one for one in judged.report.tasks]
    found = judged.again({}, judged.report.model_copy(update={"tasks": tasks}))
    assert found.altered == ["triton_forward: verdict or points do not follow from the record"]


@pytest.mark.slow
def test_an_answer_that_was_not_handed_in_is_found_out(judged: Judged) -> None:
    task = judged.report.task("explain").model_copy(update={"answer": "A better one."})
    tasks = [task if one.task == "explain" else one for one in judged.report.tasks]
    found = judged.again({}, judged.report.model_copy(update={"tasks": tasks}))
    assert found.altered == ["explain: the answer is not the one that was handed in"]


@dataclass(frozen=True)
class Written:
    """A report with its page, written by a team's own grading; the judge repeats its verdicts."""

    team: Team
    submission: Submission
    path: Path
    page: Path
    report: TakehomeReport

    def verified(self, report: TakehomeReport | None = None) -> Verification:
        return verifying.verify(report or self.report, self.team, file=self.path)


@pytest.fixture
def written(
    worked: tuple[Hired, Submission], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Written:
    team = Team(Path(shutil.copytree(worked[0].team.folder, tmp_path / "team")))
    path, page = grading.write(report_on(team, worked[1]), team)
    report = read_report(path)
    monkeypatch.setattr(execution, "judged", lambda *_args, **_more: report.records())
    return Written(team, worked[1], path, page, report)


@pytest.mark.slow
def test_a_file_that_was_not_written_here_is_found_out(written: Written) -> None:
    """GPU records that no machine here can judge again, and everything computed from them."""
    assert written.verified().holds
    names = ("correct", "traffic", "compiles", "gpu_correct", "gpu_fast")
    records = {"triton_forward": record("triton_forward", [check(name) for name in names])}
    better = report_on(written.team, written.submission, records)
    written.path.write_text(to_json(better), encoding="utf-8")
    found = written.verified(better)
    assert found.altered == ["the audit log knows no report with these contents"]
    assert not found.holds


@pytest.mark.slow
def test_a_page_that_was_not_written_here_is_found_out(written: Written) -> None:
    page = written.page.read_text(encoding="utf-8")
    written.page.write_text(page.replace("0", "9"), encoding="utf-8")
    found = written.verified()
    assert found.altered == ["the audit log knows no report.html with these contents"]
    assert not found.holds
    written.page.unlink()
    assert written.verified().holds


@pytest.mark.slow
def test_a_speed_near_a_level_holds(judged: Judged) -> None:
    def at(earned: float, upper: float) -> dict[str, Record]:
        speed = {**SPEED, "interval": [1.6, upper]}
        names = ("correct", "traffic", "compiles", "gpu_correct")
        fast = check("gpu_fast", earned=earned, evidence=speed)
        return {"triton_forward": record("triton_forward", [*map(check, names), fast])}

    report = report_on(judged.team, judged.submission, at(0.5, 2.1))
    assert judged.again(at(1.0, 2.1), report).holds
    assert not judged.again(
        at(1.0, 2.1), report_on(judged.team, judged.submission, at(0.5, 1.9))
    ).holds
