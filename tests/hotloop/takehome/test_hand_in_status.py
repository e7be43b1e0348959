"""The outcome of the last hand-in, without anything from an earlier one."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.takehome import compare, grading, scorecard
from hotloop.takehome.hand_in_status import HandInStatus, outcome_of
from hotloop.takehome.report import TakehomeReport, read_report
from hotloop.takehome.scorecard import Mark
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team

from .conftest import Hired
from .made_reports import handed_in, report_on


@pytest.fixture
def came(worked: tuple[Hired, Submission], tmp_path: Path) -> tuple[Team, Submission]:
    """The first candidate's work, not graded yet."""
    hired, submission = worked
    return Team(Path(shutil.copytree(hired.team.folder, tmp_path / "team"))), submission


def state(team: Team, report: TakehomeReport) -> str:
    """Return the candidate's state in `hotloop takehome status`."""
    done = CliRunner().invoke(app, ["takehome", "status", str(team.folder), "--json"])
    rows = {row["pack"]: row["state"] for row in json.loads(done.stdout)["packs"]}
    return rows[str(report.pack)]


def file_marks(team: Team, report: TakehomeReport) -> None:
    empty = scorecard.form(team, report.pack).empty()
    given = {key: Mark(mark=2, note="said so") for key in ("task.explain", "overall")}
    filing = empty.model_copy(update={"decision": "hold", "marks": {**empty.marks, **given}})
    scorecard.file(team, report.pack, filing, "rita")


@pytest.mark.slow
def test_each_step_is_told(came: tuple[Team, Submission]) -> None:
    team, submission = came
    report = report_on(team, submission)
    assert outcome_of(team, team.pack(report.pack)) == HandInStatus()
    assert state(team, report) == "handed in"
    grading.write(report, team)
    assert outcome_of(team, team.pack(report.pack)) == HandInStatus(report.score)
    assert state(team, report) == "graded"
    file_marks(team, report)
    found = outcome_of(team, team.pack(report.pack))
    assert found.is_filed
    assert state(team, report) == "scorecard filed"


@pytest.mark.slow
def test_the_score_is_the_one_of_the_comparison(came: tuple[Team, Submission]) -> None:
    team, submission = came
    grading.write(report_on(team, submission), team)
    report = read_report(team.report_path(submission.manifest.pack))
    file_marks(team, report)
    card = scorecard.read(team, report.pack)
    found = outcome_of(team, team.pack(report.pack))
    assert found.score == compare.score(report, card)
    # Half of the fifth that the written answer weighs, and half a step of the mark more or less.
    assert found.score is not None
    assert found.score.low == pytest.approx(report.score.low + 7.5)
    assert found.score.high == pytest.approx(report.score.high - 7.5)


@pytest.mark.slow
def test_what_came_later_is_neither_graded_nor_marked(
    came: tuple[Team, Submission], worked: tuple[Hired, Submission], tmp_path: Path
) -> None:
    team, submission = came
    report = report_on(team, submission)
    grading.write(report, team)
    file_marks(team, report)
    team.extend(report.pack, datetime.now(UTC) + timedelta(days=9000))
    assert state(team, report) == "scorecard filed"
    handed_in(team, worked[0].packs[0], tmp_path / "again", answer="Another answer.")
    assert len(team.pack(report.pack).submitted) == 2
    assert outcome_of(team, team.pack(report.pack)) == HandInStatus()
    assert state(team, report) == "handed in"


@pytest.mark.slow
def test_a_scorecard_on_an_earlier_hand_in_is_none(
    came: tuple[Team, Submission], worked: tuple[Hired, Submission], tmp_path: Path
) -> None:
    team, submission = came
    grading.write(report_on(team, submission), team)
    file_marks(team, report_on(team, submission))
    team.extend(submission.manifest.pack, datetime.now(UTC) + timedelta(days=9000))
    second = handed_in(team, worked[0].packs[0], tmp_path / "again", answer="Another answer.")
    report = report_on(team, second)
    grading.write(report, team)
    assert outcome_of(team, team.pack(report.pack)) == HandInStatus(report.score)
    assert state(team, report) == "graded"


@pytest.mark.slow
def test_a_damaged_scorecard_is_told_beside_the_score(came: tuple[Team, Submission]) -> None:
    team, submission = came
    report = report_on(team, submission)
    grading.write(report, team)
    team.scorecard_path(report.pack).write_text("{}")
    found = outcome_of(team, team.pack(report.pack))
    assert found.score == report.score
    assert "is damaged" in found.problem
    assert state(team, report) == "graded, but a file of it is damaged"
