"""Statistics on a role's tasks, and how little a few candidates show."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.intervals import rate_interval
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.course.item_statistics import Discrimination, difficulty
from hotloop.takehome import calibration, grading, quality, scorecard
from hotloop.takehome.calibration import Past, TaskCalibration, remarks
from hotloop.takehome.recorded import recorded
from hotloop.takehome.report import CheckQuality
from hotloop.takehome.scorecard import Filing, Mark
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.tasks import curriculum

from .conftest import Hired
from .made_reports import SPEED, all_of, check, handed_in, record, report_on

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


@pytest.mark.slow
def test_one_candidate_calibrates_nothing(own_team: Hired, tmp_path: Path) -> None:
    team = own_team.team
    grading.write(report_on(team, handed_in(team, own_team.packs[0], tmp_path / "a")), team)
    wrong = {"online_pass": all_of("online_pass", Verdict.WRONG_ANSWER)}
    grading.write(report_on(team, handed_in(team, own_team.packs[1], tmp_path / "b"), wrong), team)
    found = calibration.calibrate(team, "gpu_engineer")
    assert found.candidates == 2
    assert "2 candidates only" in found.warning
    first = found.tasks[0]
    assert (first.task, first.difficulty.mean) == ("online_pass", 0.5)
    # One of two shows almost nothing.
    assert first.difficulty.interval == rate_interval(1, 2)
    assert first.discrimination.correlation is None
    assert first.time.median is None
    # Open points count neither for nor against: 14 of the 14 that are settled.
    assert found.tasks[1].difficulty.mean == 1
    assert found.tasks[1].time.planned == 90


@pytest.mark.slow
def test_a_written_task_is_measured_once_scorecards_are_filed(
    own_team: Hired, tmp_path: Path
) -> None:
    """A blank answer must not stand for those that wait for a mark."""
    team = own_team.team
    answered = handed_in(team, own_team.packs[0], tmp_path / "a")
    blank = handed_in(team, own_team.packs[1], tmp_path / "b", lambda files: files.clear(), None)
    for submission in (answered, blank):
        grading.write(report_on(team, submission), team)
    unread = _explain(team)
    assert (unread.difficulty.count, unread.difficulty.mean) == (0, None)
    assert "scorecard is filed count here: 0 of 2." in " ".join(unread.remarks)

    _file(team, blank, {})
    half = _explain(team)
    assert (half.difficulty.count, half.difficulty.mean) == (1, 0.0)
    assert "scorecard is filed count here: 1 of 2." in " ".join(half.remarks)

    _file(team, answered, {"task.explain": Mark(mark=3, note="said so")})
    both = _explain(team)
    assert (both.difficulty.count, both.difficulty.mean) == (2, 0.375)
    assert both.remarks == []

    # A mark does not count for a later hand-in.
    report, card = report_on(team, answered), scorecard.read(team, answered.manifest.pack)
    assert card is not None
    before = Past(report, card.model_copy(update={"submission": "0" * 64}))
    assert (
        calibration.task_points([before], ["explain"]).pending[0, 0]
        == report.task("explain").possible
    )


def _explain(team: Team) -> TaskCalibration:
    return calibration.calibrate(team, "gpu_engineer").tasks[2]


def _file(team: Team, submission: Submission, marks: dict[str, Mark]) -> None:
    overall = {"overall": Mark(mark=2, note="all in all")}
    filing = Filing(decision="hold", marks={**overall, **marks})
    scorecard.file(team, submission.manifest.pack, filing, "rita")


@pytest.mark.slow
def test_a_damaged_scorecard_counts_as_none(own_team: Hired, tmp_path: Path) -> None:
    team = own_team.team
    submission = handed_in(team, own_team.packs[0], tmp_path / "a")
    grading.write(report_on(team, submission), team)
    team.scorecard_path(submission.manifest.pack).write_text("{}")
    assert _explain(team).difficulty.count == 0


@pytest.mark.slow
def test_what_was_measured_counts_by_the_middle_of_its_interval(
    own_team: Hired, tmp_path: Path
) -> None:
    """A ratio whose interval contains the next level is not a full score, but was measured."""
    evidence = {"interval": [1.9, 2.1], "levels": SPEED["levels"]}
    found = record(
        "triton_forward",
        [
            check("correct"),
            check("compiles", Verdict.NOT_MEASURED),
            check("gpu_correct", Verdict.WRONG_ANSWER),
            check("gpu_fast", Verdict.PARTIAL, 0.5, evidence=evidence),
        ],
    )
    submission = handed_in(own_team.team, own_team.packs[0], tmp_path / "a")
    report = report_on(own_team.team, submission, {"triton_forward": found})
    points = calibration.task_points([Past(report, None)], ["triton_forward"])
    worth = {r.check: r.possible for r in report.task("triton_forward").checks}
    assert points.earned[0, 0] == worth["correct"] + 0.75 * worth["gpu_fast"]
    assert points.pending[0, 0] == worth["traffic"] + worth["compiles"]
    assert points.possible[0, 0] == sum(worth.values())


def test_few_full_scores_settle_no_difficulty() -> None:
    found = difficulty(np.array([1.0, 1.0, 1.0, np.nan]))
    assert (found.count, found.mean) == (3, 1.0)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.438, abs=1e-3)


def _remarks(
    share: list[float] | None = None,
    minutes: list[float] | None = None,
    telling: Discrimination | None = None,
    task: str = "online_pass",
) -> list[str]:
    nothing = Discrimination(correlation=None, interval=None, count=0)
    module = curriculum.load_module("fused_softmax")
    return remarks(
        module.task(task),
        difficulty(np.array(share or [])),
        calibration.time_of(minutes or [], 60),
        telling or nothing,
        quality.check_quality(module, module.task(task)),
    )


@pytest.mark.slow
def test_a_remark_holds_at_the_far_end_of_its_interval() -> None:
    assert _remarks(minutes=[600.0]) == []
    assert _remarks(minutes=[80.0, *[100.0] * 5]) == []
    assert _remarks(minutes=[100.0] * 6) == [
        "By 6 work logs it takes longer than the 60 minutes that candidates are told."
    ]
    assert _remarks([0.0] * 44) == []
    assert _remarks([0.0] * 80) == [
        "Nearly nobody earns any of it: it is too hard, or its check is wrong."
    ]
    # What a person reads has no checks.
    assert _remarks([0.0] * 80, task="explain") == [
        "Nearly nobody earns any of it: it is too hard."
    ]
    assert _remarks([1.0] * 80) == ["Nearly everybody earns all of it: it tells nobody apart."]


def test_few_candidates_say_nothing_against_a_task() -> None:
    few = Discrimination(correlation=-0.9, interval=(-1, -0.5), count=5)
    assert _remarks(telling=few) == []
    many = replace(few, count=calibration.FEW)
    assert _remarks(telling=many) == [
        "Who does well here does not do well elsewhere: look at the task."
    ]


@pytest.mark.slow
def test_the_table_shows_intervals_and_says_what_was_not_measured(
    own_team: Hired, tmp_path: Path
) -> None:
    team = own_team.team
    grading.write(report_on(team, handed_in(team, own_team.packs[0], tmp_path / "a")), team)
    words = ["takehome", "calibrate", "gpu_engineer", "--team", str(team.folder)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "(21–100%)" in done.output
    assert "not measured" in done.output
    assert "explain: Only candidates whose scorecard is filed" in done.output


def test_nobody_yet(own_team: Hired) -> None:
    found = calibration.calibrate(own_team.team, "gpu_engineer")
    assert found.candidates == 0
    assert found.tasks[0].difficulty.mean is None
    assert found.tasks[0].check_quality is not None


def test_the_recorded_wrong_answers_are_counted() -> None:
    module = curriculum.load_module("fused_softmax")
    found = quality.check_quality(module, module.task("online_pass"))
    assert found is not None
    assert found.wrong_answers >= 4
    assert found.wrong_passed == []
    assert found.reference_failed == []
    assert found.wrong_pass_rate is not None
    assert 0 < found.wrong_pass_rate.high < 1
    assert found.speed is None


@pytest.mark.slow
def test_a_wrong_answer_that_passed_is_named(own_team: Hired) -> None:
    """A team's own measurement counts in addition to the module's."""
    team, module = own_team.team, curriculum.load_module("fused_softmax")
    run = curriculum.runs("fused_softmax")[0].model_dump(mode="json", exclude_none=True)
    for found in run["measurements"]:
        if found["candidate"] == "forgotten_rescale":
            found["verdict"], found["earned"] = "passed", 1.0
    path = quality.path_of(team, "fused_softmax")
    path.parent.mkdir()
    path.write_text(json.dumps({**run, "device": "Another"}))
    found = quality.of_task(team, module, module.task("online_pass"))
    assert found is not None
    assert found.wrong_passed == ["forgotten_rescale, correct (Another)"]
    assert len(found.measured) == 2
    # The same wrong answers on another machine are not counted again.
    alone = quality.check_quality(module, module.task("online_pass"))
    assert alone is not None
    assert found.wrong_answers == alone.wrong_answers
    assert found.references == 2 * alone.references
    calibrated = calibration.calibrate(team, "gpu_engineer").tasks[0]
    assert any("A wrong answer passed" in said for said in calibrated.remarks)


def test_a_table_says_what_few_trials_leave_possible() -> None:
    assert quality.counted(0, 4, rate_interval(0, 4)) == "0 of 4, ≤ 49 %"
    assert quality.counted(1, 4, rate_interval(1, 4)) == "1 of 4, 5–70 %"
    assert quality.counted(0, 0, rate_interval(0, 0)) == "none tried"


@pytest.mark.slow
@pytest.mark.parametrize("speed", [True, False])
def test_a_team_measures_its_roles_tasks_as_often_as_it_says(
    own_team: Hired, monkeypatch: pytest.MonkeyPatch, speed: bool
) -> None:
    asked: list[tuple[list[str], list[str] | None]] = []

    def judged(
        _files: object, _module: str, tasks: list[str], checks: list[str] | None = None, **_: object
    ) -> dict[str, Record]:
        asked.append((tasks, checks))
        return {task: all_of(task) for task in tasks}

    monkeypatch.setattr("hotloop.author.evidence.judge_submission", judged)
    monkeypatch.setattr("hotloop.cli.takehome.calibrate.require_sandbox", lambda: None)
    folder = str(own_team.team.folder)
    words = ["calibrate", "gpu_engineer", "--team", folder, "--measure", "--times", "2", "--json"]
    done = CliRunner().invoke(app, ["takehome", *words, "--speed" if speed else "--no-speed"])
    assert done.exit_code == 0, done.output
    assert {task for tasks, _ in asked for task in tasks} == {"online_pass", "triton_forward"}
    assert all((checks is None) is speed for _, checks in asked)
    assert "gpu_fast" not in {check for _, checks in asked for check in checks or ()}
    (run,) = quality.measured(own_team.team, "fused_softmax")
    first = ("online_pass", "correct")
    judged_of = [m.candidate for m in run.measurements if (m.task, m.check) == first]
    assert judged_of.count("reference") == 2
    checks = json.loads(done.stdout)["tasks"][0]["check_quality"]
    # Every wrong answer passed here, each twice, and each counts once.
    assert len(checks["wrong_passed"]) == checks["wrong_answers"]
    assert checks["measured"][-1].startswith("Some CPU")


def test_a_damaged_measurement_counts_as_none(own_team: Hired) -> None:
    path = quality.path_of(own_team.team, "fused_softmax")
    path.parent.mkdir()
    path.write_text("{}")
    assert quality.measured(own_team.team, "fused_softmax") == []


def test_a_speed_task_states_how_often_speed_is_judged_wrongly() -> None:
    module = curriculum.load_module("fused_softmax")
    found = quality.check_quality(module, module.task("compiled_chain"))
    assert found is not None
    assert found.speed is not None
    assert found.speed.judgings == sum(row["judgings"] for row in _false_grades()["rows"])
    said = " ".join(quality.sentences(found))
    assert f"Speed on a CPU: of {found.speed.judgings} judgings" in said
    # It has a check on a GPU too.
    assert "was not measured on a GPU" in said


@pytest.mark.slow
def test_what_is_timed_on_a_gpu_only_has_no_rate_of_a_cpu() -> None:
    module = curriculum.load_module("fused_softmax")
    found = quality.check_quality(module, module.task("triton_forward"))
    assert found is not None
    assert found.speed is None
    said = " ".join(quality.sentences(found))
    assert "was not measured on a GPU" in said
    assert "judgings of a made-up function" not in said


def test_what_no_check_times_says_nothing_of_speed() -> None:
    module = curriculum.load_module("fused_softmax")
    found = quality.check_quality(module, module.task("online_pass"))
    said = " ".join(quality.sentences(found))
    assert "peed" not in said
    assert "written together with the checks: of others more may pass" in said


def test_what_was_never_recorded_is_said() -> None:
    assert "never recorded" in quality.sentences(None)[0]
    empty = CheckQuality(
        wrong_answers=0,
        wrong_passed=[],
        wrong_pass_rate=None,
        references=0,
        reference_failed=[],
        wrong_fail_rate=None,
        measured=["x, 2030-01-01"],
        older=True,
    )
    said = " ".join(quality.sentences(empty))
    assert "No known wrong answer" in said
    assert "has changed since" in said


def test_the_package_carries_what_the_benchmark_wrote() -> None:
    written = _false_grades()
    written.pop("results")
    assert recorded("false_grades") == written


@pytest.mark.parametrize("name", ["similarity", "variants"])
def test_a_benchmark_writes_what_reports_cite(name: str) -> None:
    assert recorded(name) is not None


def _false_grades() -> dict[str, Any]:
    return json.loads((RESULTS / "false_grades.json").read_text())
