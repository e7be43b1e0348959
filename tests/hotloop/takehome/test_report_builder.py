"""Reports from records: scores, what is open, questions, and the contents of report.json."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from hotloop.core.intervals import Interval
from hotloop.core.verdict import Verdict
from hotloop.judge.gpu import card
from hotloop.learn.pack.work_log import active_minutes
from hotloop.takehome.report import UnreadableReport, read_report, schema, to_json
from hotloop.takehome.report_page import page
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team

from .conftest import NAMES, Hired
from .made_reports import all_of, check, handed_in, record, report_on


@pytest.fixture
def submission(worked: tuple[Hired, Submission]) -> Submission:
    return worked[1]


@pytest.fixture
def team(worked: tuple[Hired, Submission]) -> Team:
    return worked[0].team


def test_what_is_open_makes_the_score_an_interval(team: Team, submission: Submission) -> None:
    """Weights 1, 3 and 1: the first is earned, of the second 14 of 22, the third must be read."""
    report = report_on(team, submission)
    assert report.score.low == pytest.approx(100 * (1 + 3 * 14 / 22) / 5)
    assert report.score.high == 100
    assert report.judged.low == pytest.approx(100 * (1 + 3 * 14 / 22) / 4)
    assert {(one.task, one.check) for one in report.not_measured} == {
        ("triton_forward", "gpu_correct"),
        ("triton_forward", "gpu_fast"),
        ("explain", "by_hand"),
    }


def test_a_lost_judge_costs_nothing(team: Team, submission: Submission) -> None:
    lost = record("online_pass", [check("judge", Verdict.JUDGE_ERROR, sentence="It failed.")])
    task = report_on(team, submission, {"online_pass": lost}).task("online_pass")
    assert (task.points.low, task.points.high) == (0, 10)
    assert task.checks[0].sentence == "It failed."


def test_a_task_without_a_counted_check_is_left_out(team: Team, submission: Submission) -> None:
    checks = [check("correct", instrumented=True), check("one_pass", instrumented=True)]
    only = record("online_pass", checks)
    report = report_on(team, submission, {"online_pass": only})
    assert report.task("online_pass").share is None
    assert report.score.low == pytest.approx(100 * (3 * 14 / 22) / 4)
    assert page(report).count("Instrumented: measured in a process") == 2


def test_what_does_not_count_is_no_strength_and_a_failure_is_no_all(
    team: Team, submission: Submission
) -> None:
    failed = check("one_pass", Verdict.WRONG_ANSWER, instrumented=True)
    for checks, said in (
        ([check("correct"), failed], ["The online recurrence: correct passed."]),
        ([check("correct", Verdict.WRONG_ANSWER), check("one_pass", instrumented=True)], []),
        (
            [check("correct"), check("one_pass", instrumented=True)],
            ["The online recurrence: all that was measured passed (correct)."],
        ),
    ):
        report = report_on(team, submission, {"online_pass": record("online_pass", checks)})
        assert [one for one in report.strengths if "recurrence" in one] == said


def test_a_loss_is_no_strength(team: Team, submission: Submission) -> None:
    """Two passes are right, and lose what the one pass is worth."""
    two = [check("correct"), check("one_pass", Verdict.WRONG_ANSWER, sentence="Two passes.")]
    report = report_on(team, submission, {"online_pass": record("online_pass", two)})
    assert report.task("online_pass").points == Interval.exactly(6)
    assert report.task("online_pass").possible == 10
    assert "The online recurrence: correct passed." in report.strengths
    assert "The online recurrence (one_pass): Two passes." in report.weak_spots


def test_skills_add_up_to_the_points(team: Team, submission: Submission) -> None:
    report = report_on(team, submission)
    assert sum(skill.possible for skill in report.skills) == 10 + 22 + 8
    assert {skill.skill for skill in report.skills} == {
        "right", "economical", "compiles", "gpu_right", "fast_gpu", "explains",
    }  # fmt: skip


def test_weak_tasks_are_asked_about_first(team: Team, submission: Submission) -> None:
    wrong = all_of("online_pass", Verdict.WRONG_ANSWER, "Got 0, expected 1.")
    report = report_on(team, submission, {"online_pass": wrong})
    assert report.weak_spots == ["The online recurrence (correct): Got 0, expected 1."]
    assert any("Softmax in Triton" in said for said in report.strengths)
    asked = report.follow_ups
    assert len({one.key for one in asked}) == len(asked) >= 4
    assert asked[0].weak
    whys = [one.why for one in asked if one.weak]
    assert whys[0] == "The online recurrence: points were lost at correct."
    for said in (
        "The online recurrence: points were lost there (correct, one_pass).",
        "Softmax in Triton: points are still open there (gpu_correct, gpu_fast).",
    ):
        assert any(why.startswith(said) for why in whys), whys


@pytest.mark.slow
def test_an_empty_answer_earns_nothing_and_waits_for_nobody(
    own_team: Hired, tmp_path: Path
) -> None:
    untouched = handed_in(own_team.team, own_team.packs[1], tmp_path / "x", answer=None)
    before = report_on(own_team.team, untouched).task("explain")
    # The reference itself holds an answer in the cell.
    assert before.answer is not None
    given = handed_in_as_given(own_team, tmp_path)
    after = report_on(own_team.team, given).task("explain")
    assert after.answer is None
    assert after.points.high == 0


@pytest.mark.slow
def test_an_answer_in_another_cell_waits_for_a_person(own_team: Hired, tmp_path: Path) -> None:
    """An editor may drop a cell's name, and a candidate the line that marks the task."""

    def nameless(files: dict[str, bytes]) -> None:
        document = json.loads(files["lab.ipynb"])
        for cell in document["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == "explain":
                text = "".join(cell["source"]).partition("\n")[2]
                cell |= {"metadata": {}, "id": "a-new-cell", "source": text}
        files["lab.ipynb"] = json.dumps(document).encode()

    found = handed_in(own_team.team, own_team.packs[0], tmp_path / "n", nameless)
    task = report_on(own_team.team, found).task("explain")
    assert task.answer is not None
    assert "other text of the candidate's" in task.sentence
    assert (task.points.low, task.points.high) == (0, task.possible)


def handed_in_as_given(own_team: Hired, tmp_path: Path) -> Submission:
    team, pack = own_team.team, own_team.packs[0]
    return handed_in(team, pack, tmp_path / "given", lambda files: files.clear(), answer=None)


@pytest.mark.slow
def test_the_file_fits_the_published_schema_and_reads_back(
    team: Team, submission: Submission, tmp_path: Path
) -> None:
    report = report_on(team, submission)
    text = to_json(report)
    jsonschema.validate(json.loads(text), schema())
    path = tmp_path / "report.json"
    path.write_text(text)
    assert read_report(path) == report


@pytest.mark.slow
def test_checks_that_are_others_than_the_packs_are_told(team: Team, submission: Submission) -> None:
    same = report_on(team, submission)
    older = submission.manifest.model_copy(update={"grader_digest": "0" * 64})
    other = report_on(team, replace(submission, manifest=older))
    assert (same.submission.other_checks, other.submission.other_checks) == (False, True)
    said = "Judged by other checks than Hotloop had when the pack was made"
    assert [said in page(report) for report in (same, other)] == [False, True]


def test_no_name_and_no_accommodation_stand_in_it(team: Team, submission: Submission) -> None:
    text = to_json(report_on(team, submission))
    assert "accommodation" not in text
    for name in NAMES:
        assert not any(part in text for part in name.split())


@pytest.mark.slow
def test_a_figure_that_is_none_is_left_out_of_the_file(
    team: Team,
    submission: Submission,
) -> None:
    odd = record("online_pass", [check("correct", evidence={"figure": float("nan")})])
    document = json.loads(to_json(report_on(team, submission, {"online_pass": odd})))
    assert document["tasks"][0]["record"]["checks"][0]["evidence"] == {"figure": None}


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 2}'])
def test_what_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(UnreadableReport, match="is no report"):
        read_report(path)


def test_an_unknown_key_in_a_record_is_refused(
    team: Team, submission: Submission, tmp_path: Path
) -> None:
    document = json.loads(to_json(report_on(team, submission)))
    document["tasks"][0]["record"]["checks"][0]["bonus"] = 3
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document))
    with pytest.raises(UnreadableReport, match="bonus"):
        read_report(path)


def test_without_a_log_no_time_is_claimed() -> None:
    assert active_minutes(None) == {}


def test_a_team_is_told_the_command_that_it_grades_by(
    team: Team, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_driver() -> None:
        raise OSError

    monkeypatch.setattr(card, "Driver", no_driver)
    with pytest.raises(card.NoCard) as error:
        card.open_driver()
    said = str(error.value)
    missing = all_of("online_pass", Verdict.NOT_MEASURED, said)
    report = report_on(team, submission, {"online_pass": missing})
    task = report.task("online_pass")
    shown = "this is measured on a machine that has one, with `hotloop takehome grade`."
    assert all(shown in check.sentence for check in task.checks)
    assert not any(
        "hotloop check" in one.sentence for one in [task, *task.checks, *report.not_measured]
    )
    # What the judge has recorded stays as it is.
    assert task.record is not None
    assert task.record.checks[0].sentence == said
