"""What is known of a role's tasks, and how little few candidates say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hotloop import curriculum
from hotloop.judge.verdict import Verdict
from hotloop.takehome import calibration, grading, measured_quality, quality, quality_words
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
    calibrated = calibration.calibrate(team, "gpu_engineer").tasks[0]
    assert any("A wrong answer passed" in said for said in calibrated.remarks)


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
