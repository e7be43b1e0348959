"""What is known of a role's tasks, and how little few candidates say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop import curriculum
from hotloop.cli import app
from hotloop.judge.record import Record
from hotloop.judge.verdict import Verdict
from hotloop.takehome import calibration, grading, measured_quality, quality, quality_words
from hotloop.takehome.intervals import rate_interval
from hotloop.takehome.recorded import FOLDER, recorded
from hotloop.takehome.report import CheckQuality

from .conftest import Hired
from .made_reports import all_of, handed_in, report_on

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


def test_one_candidate_calibrates_nothing(own_team: Hired, tmp_path: Path) -> None:
    team = own_team.team
    grading.write(report_on(team, handed_in(team, own_team.packs[0], tmp_path / "a")), team)
    wrong = {"online_pass": all_of("online_pass", Verdict.WRONG_ANSWER)}
    grading.write(report_on(team, handed_in(team, own_team.packs[1], tmp_path / "b"), wrong), team)
    found = calibration.calibrate(team, "gpu_engineer")
    assert found.candidates == 2
    assert "2 candidates only" in found.warning
    first = found.tasks[0]
    assert (first.task, first.difficulty.share, first.difficulty.interval) == (
        "online_pass", 0.5, None,
    )  # fmt: skip
    assert first.discrimination.correlation is None
    assert first.time.median is None
    # What is open counts neither for nor against: 14 of the 14 that are settled.
    assert found.tasks[1].difficulty.share == 1
    assert found.tasks[1].time.planned == 90


def test_nobody_yet(own_team: Hired) -> None:
    found = calibration.calibrate(own_team.team, "gpu_engineer")
    assert found.candidates == 0
    assert found.tasks[0].difficulty.share is None
    assert found.tasks[0].checks is not None


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


def test_a_wrong_answer_that_passed_is_named(own_team: Hired) -> None:
    """A team's own measurement counts beside what comes with the module."""
    team, module = own_team.team, curriculum.load_module("fused_softmax")
    run = curriculum.runs("fused_softmax")[0].model_dump(mode="json", exclude_none=True)
    for found in run["measurements"]:
        if found["candidate"] == "forgotten_rescale":
            found["verdict"], found["earned"] = "passed", 1.0
    path = measured_quality.path_of(team, "fused_softmax")
    path.parent.mkdir()
    path.write_text(json.dumps({**run, "device": "Another"}))
    found = measured_quality.of_task(team, module, module.task("online_pass"))
    assert found is not None
    assert found.wrong_passed == ["forgotten_rescale, correct (Another)"]
    assert len(found.measured) == 2
    # The same wrong answers on another machine are no further ones.
    alone = quality.check_quality(module, module.task("online_pass"))
    assert alone is not None
    assert found.wrong_answers == alone.wrong_answers
    assert found.references == 2 * alone.references
    calibrated = calibration.calibrate(team, "gpu_engineer").tasks[0]
    assert any("A wrong answer passed" in said for said in calibrated.remarks)


def test_a_table_says_what_few_trials_leave_possible() -> None:
    assert quality_words.counted(0, 4, rate_interval(0, 4)) == "0 of 4, ≤ 49 %"
    assert quality_words.counted(1, 4, rate_interval(1, 4)) == "1 of 4, 5–70 %"
    assert quality_words.counted(0, 0, rate_interval(0, 0)) == "none tried"


@pytest.mark.parametrize("speed", [True, False])
def test_a_team_measures_its_roles_tasks_as_often_as_it_says(
    own_team: Hired, monkeypatch: pytest.MonkeyPatch, speed: bool
) -> None:
    asked: list[tuple[list[str], list[str] | None]] = []

    def judged(
        _files: object, _module: str, tasks: list[str], rungs: list[str] | None = None, **_: object
    ) -> dict[str, Record]:
        asked.append((tasks, rungs))
        return {task: all_of(task) for task in tasks}

    monkeypatch.setattr("hotloop.evidence.judge_submission", judged)
    monkeypatch.setattr("hotloop.cli.takehome_deciding.require_sandbox", lambda: None)
    folder = str(own_team.team.folder)
    words = ["calibrate", "gpu_engineer", "--team", folder, "--measure", "--times", "2", "--json"]
    done = CliRunner().invoke(app, ["takehome", *words, "--speed" if speed else "--no-speed"])
    assert done.exit_code == 0, done.output
    assert {task for tasks, _ in asked for task in tasks} == {"online_pass", "triton_forward"}
    assert all((rungs is None) is speed for _, rungs in asked)
    assert "gpu_fast" not in {rung for _, rungs in asked for rung in rungs or ()}
    (run,) = measured_quality.measured(own_team.team, "fused_softmax")
    judged_of = [m.candidate for m in run.measurements if m.task == "online_pass"]
    assert judged_of.count("reference") == 2
    checks = json.loads(done.stdout)["tasks"][0]["checks"]
    # Every wrong answer passed here, each twice, and each counts once.
    assert len(checks["wrong_passed"]) == checks["wrong_answers"]
    assert checks["measured"][-1].startswith("Some CPU")


def test_a_damaged_measurement_counts_as_none(own_team: Hired) -> None:
    path = measured_quality.path_of(own_team.team, "fused_softmax")
    path.parent.mkdir()
    path.write_text("{}")
    assert measured_quality.measured(own_team.team, "fused_softmax") == []


def test_a_speed_task_states_how_often_speed_is_judged_wrongly() -> None:
    module = curriculum.load_module("fused_softmax")
    found = quality.check_quality(module, module.task("compiled_chain"))
    assert found is not None
    assert found.speed is not None
    assert found.speed.judgings == sum(row["judgings"] for row in _false_grades()["rows"])
    said = " ".join(quality_words.sentences(found))
    assert f"of {found.speed.judgings} judgings" in said


def test_what_was_never_recorded_is_said() -> None:
    assert "never recorded" in quality_words.sentences(None)[0]
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
    said = " ".join(quality_words.sentences(empty))
    assert "No known wrong answer" in said
    assert "has changed since" in said


@pytest.mark.parametrize("name", ["false_grades", "similarity"])
def test_the_package_carries_what_the_benchmark_wrote(name: str) -> None:
    written = json.loads((RESULTS / f"{name}.json").read_text())
    written.pop("results", None)
    assert recorded(name) == written
    assert (FOLDER / f"{name}.json").is_file()


def _false_grades() -> dict[str, list[dict[str, int]]]:
    return json.loads((RESULTS / "false_grades.json").read_text())
