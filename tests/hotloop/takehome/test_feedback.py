"""Feedback: a person's words to the candidate, without score, signals and others."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.takehome import feedback, grading
from hotloop.takehome.feedback import FeedbackError

from .conftest import Hired
from .made_reports import handed_in, report_on


@pytest.fixture
def graded(own_team: Hired, tmp_path: Path) -> Hired:
    """Two candidates with reports that have signals on one another."""
    for number, pack in enumerate(own_team.packs):
        submission = handed_in(own_team.team, pack, tmp_path / str(number))
        grading.write(report_on(own_team.team, submission), own_team.team)
    return own_team


@pytest.mark.slow
def test_a_draft_is_edited_published_and_written_as_a_page(graded: Hired, tmp_path: Path) -> None:
    pseudonym, team = graded.packs[0].pseudonym, str(graded.team.folder)
    text, page = tmp_path / "feedback.md", tmp_path / "feedback.html"
    words = ["takehome", "feedback", pseudonym, "--team", team]
    assert CliRunner().invoke(app, [*words, "--to", str(page)]).exit_code == 2
    assert CliRunner().invoke(app, [*words, "--draft", str(text)]).exit_code == 0
    assert "What went well:" in text.read_text()
    text.write_text(text.read_text() + "\nYour notes were clear. <script>alert(1)</script>\n")
    more = ["--file", str(text), "--measured", "--to", str(page)]
    done = CliRunner().invoke(app, [*words, *more])
    assert done.exit_code == 0, done.output
    shown = page.read_text()
    assert "Your notes were clear." in shown
    assert "<script>" not in shown
    assert graded.packs[0].manifest.contact in shown
    assert "10 of 10 points" in shown
    for secret in ("Much like", graded.packs[1].pseudonym, "of 100"):
        assert secret not in shown


@pytest.mark.slow
def test_results_are_those_of_the_last_hand_in(own_team: Hired, tmp_path: Path) -> None:
    team, pack = own_team.team, own_team.packs[0]
    with pytest.raises(FeedbackError, match="no report"):
        feedback.publish(team, pack.manifest.pack, "x", "rita", measured=True)
    assert feedback.publish(team, pack.manifest.pack, "x", "rita", measured=False).measured == []
    handed_in(team, pack, tmp_path / "a")
    with pytest.raises(FeedbackError, match="no report"):
        feedback.publish(team, pack.manifest.pack, "x", "rita", measured=True)
    for text in ("", "  ", "x" * (feedback.LONGEST + 1)):
        with pytest.raises(FeedbackError, match="characters"):
            feedback.publish(team, pack.manifest.pack, text, "rita", measured=False)
    read = feedback.read(team, pack.manifest.pack)
    assert read is not None
    assert read.text == "x"


def test_a_damaged_file_is_named(own_team: Hired) -> None:
    team, pack = own_team.team, own_team.packs[0].manifest.pack
    assert feedback.read(team, pack) is None
    (team.report_folder(pack) / feedback.NAME).write_text("{}")
    with pytest.raises(FeedbackError, match="damaged"):
        feedback.read(team, pack)
