"""`hotloop takehome scorecard`, `compare` and `calibrate` on reports made by hand."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.intervals import Interval
from hotloop.takehome import grading, scorecard
from hotloop.takehome.report import TakehomeReport, to_json
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.submission_file import make_submission
from hotloop.takehome.team import Team

from .conftest import RECEIVED, Hired
from .made_reports import handed_in, report_on

NOTE = "three of four bounds, with units"


@pytest.fixture
def team(worked: tuple[Hired, Submission], tmp_path: Path) -> Team:
    """A team with one report."""
    hired, submission = worked
    copied = Team(Path(shutil.copytree(hired.team.folder, tmp_path / "team")))
    grading.write(report_on(copied, submission), copied)
    return copied


@pytest.fixture
def pseudonym(worked: tuple[Hired, Submission]) -> str:
    return worked[1].manifest.pseudonym


def run(team: Team, *words: str | Path, code: int = 0) -> Any:
    command = ["takehome", *map(str, words), "--team", str(team.folder), "--json"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def shown(team: Team, *words: str | Path) -> str:
    done = CliRunner().invoke(app, ["takehome", *map(str, words), "--team", str(team.folder)])
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


def filled(form: Path, decision: str = "decision: advance") -> str:
    """Return the form as a person fills it in: with words after the keys."""
    text = form.read_text().replace("decision:\n", f"{decision}\n", 1)
    for key in ("task.explain", "overall"):
        before = f"  {key}:\n    mark:\n    note:\n"
        assert before in text
        text = text.replace(before, f"  {key}:\n    mark: 3\n    note: {NOTE}  # said so\n")
    return text


# --- the form -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_form_is_yaml_with_the_rubrics_beside_the_marks(
    team: Team, pseudonym: str, tmp_path: Path
) -> None:
    form = tmp_path / "marks.yaml"
    run(team, "scorecard", pseudonym, "--form", form)
    document = yaml.safe_load(form.read_text())
    assert document["candidate"] == pseudonym
    assert document["decision"] is None
    criteria = scorecard.form(team, team.find(pseudonym).pack).criteria
    assert list(document["marks"]) == [criterion.key for criterion in criteria]
    plain = " ".join(form.read_text().replace("#", " ").split())
    for criterion in criteria:
        assert all(" ".join(words.split()) in plain for words in criterion.rubric.values())
    assert max(map(len, form.read_text().splitlines())) <= 100


@pytest.mark.slow
def test_a_form_is_filled_in_and_filed(team: Team, pseudonym: str, tmp_path: Path) -> None:
    form = tmp_path / "marks.yaml"
    run(team, "scorecard", pseudonym, "--form", form)
    form.write_text(filled(form))
    filed = run(team, "scorecard", pseudonym, "--file", form)["filed"]
    assert filed["decision"] == "advance"
    assert filed["marks"]["overall"] == {"mark": 3, "note": NOTE}


@pytest.mark.slow
def test_who_forgets_to_decide_files_nothing(team: Team, pseudonym: str, tmp_path: Path) -> None:
    form = tmp_path / "marks.yaml"
    run(team, "scorecard", pseudonym, "--form", form)
    form.write_text(filled(form, "decision:"))
    said = run(team, "scorecard", pseudonym, "--file", form, code=2)["error"]
    assert said == "There is no decision yet: advance, hold, decline."
    assert not team.scorecard_path(team.find(pseudonym).pack).exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("find", "becomes", "says"),
    [
        ("mark: 3", "mark: 5", "marks.task.explain.mark"),
        ("mark: 3", "mark: true", "not true or false"),
        ("mark: 3", "mark: @", "not YAML"),
        ("    note: three", "    notes: three", "unknown key"),
        ("decision: advance", "decision: perhaps", "decision"),
    ],
)
def test_a_mistake_in_the_form_is_named_with_its_line(
    team: Team, pseudonym: str, tmp_path: Path, find: str, becomes: str, says: str
) -> None:
    form = tmp_path / "marks.yaml"
    run(team, "scorecard", pseudonym, "--form", form)
    text = filled(form)
    line = text[: text.index(find)].count("\n") + 1
    form.write_text(text.replace(find, becomes, 1))
    said = run(team, "scorecard", pseudonym, "--file", form, code=2)["error"]
    assert says in said
    number = int(said.removeprefix(f"{form}:").split(":")[0])
    assert abs(number - line) <= 1, said


@pytest.mark.slow
def test_the_form_of_another_candidate_is_not_filed(
    team: Team, pseudonym: str, tmp_path: Path
) -> None:
    form = tmp_path / "marks.yaml"
    run(team, "scorecard", pseudonym, "--form", form)
    form.write_text(filled(form).replace(f"candidate: {pseudonym}", "candidate: calm-wren-33"))
    said = run(team, "scorecard", pseudonym, "--file", form, code=2)["error"]
    assert said.endswith(f"is the form for calm-wren-33, not for {pseudonym}.")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["/nonexist/x.yaml", "/proc/x.yaml", "/etc/passwd/x.yaml"])
def test_where_no_form_can_be_written_is_told(team: Team, pseudonym: str, form: str) -> None:
    said = run(team, "scorecard", pseudonym, "--form", form, code=2)["error"]
    assert said.startswith(f"{form}: ")


@pytest.mark.slow
def test_a_form_that_is_there_already_is_left_alone(
    team: Team, pseudonym: str, tmp_path: Path
) -> None:
    said = run(team, "scorecard", pseudonym, "--form", tmp_path, code=2)["error"]
    assert "exists already" in said


# --- another hand-in ------------------------------------------------------------------------------


@pytest.mark.slow
def test_marks_of_an_earlier_hand_in_are_said_to_be_that(
    team: Team, pseudonym: str, tmp_path: Path, unpack: Callable[[Any], Path], own_pack: Any
) -> None:
    form = tmp_path / "marks.yaml"
    run(team, "scorecard", pseudonym, "--form", form)
    form.write_text(filled(form))
    assert run(team, "scorecard", pseudonym, "--file", form)["filed_on_an_earlier_hand_in"] is False
    assert "Version 1 was filed" in shown(team, "scorecard", pseudonym)

    again(team, pseudonym, unpack(own_pack))
    told = shown(team, "scorecard", pseudonym)
    assert "on an earlier hand-in: its marks do not count for the last one." in told
    assert NOTE not in told
    assert "File another one: hotloop takehome scorecard" in told
    document = run(team, "scorecard", pseudonym)
    assert document["filed_on_an_earlier_hand_in"] is True
    assert document["filed"]["marks"]["overall"]["mark"] == 3

    form.unlink()
    run(team, "scorecard", pseudonym, "--form", form)
    form.write_text(filled(form))
    filed = run(team, "scorecard", pseudonym, "--file", form)
    assert (filed["filed"]["version"], filed["filed_on_an_earlier_hand_in"]) == (2, False)


@pytest.fixture
def own_pack(worked: tuple[Hired, Submission]) -> Any:
    return worked[0].packs[0]


def again(team: Team, pseudonym: str, folder: Path) -> None:
    """Extend the time, hand in other work, and write the report on it."""
    pack = team.find(pseudonym).pack
    team.extend(pack, max(RECEIVED, datetime.now(UTC)) + timedelta(days=30))
    (folder / "helper.py").write_text("x = 1\n")
    path = make_submission(folder)
    submission = open_submission(path, team, received=RECEIVED + timedelta(hours=1))
    team.keep(submission, path)
    grading.write(report_on(team, submission), team)


# --- compare and calibrate ------------------------------------------------------------------------


@pytest.fixture
def both(
    team: Team, worked: tuple[Hired, Submission], tmp_path: Path
) -> tuple[TakehomeReport, TakehomeReport]:
    """A team with reports on two candidates."""
    second = handed_in(team, replace(worked[0].packs[1]), tmp_path / "second")
    reports = (report_on(team, worked[1]), report_on(team, second))
    grading.write(reports[1], team)
    return reports


@pytest.mark.slow
def test_one_report_that_cannot_be_read_hides_no_other(
    team: Team, both: tuple[TakehomeReport, TakehomeReport]
) -> None:
    third = team.folder / "reports" / "00000000-0000-4000-8000-000000000000" / "report.json"
    third.parent.mkdir()
    third.write_text("{}")
    found = run(team, "compare", code=1)
    assert {one["pseudonym"] for one in found["candidates"]} == {one.pseudonym for one in both}
    (said,) = found["unreadable"]
    assert said.startswith(f"{third.parent.name} is left out. ")
    shutil.rmtree(third.parent)
    assert run(team, "compare")["unreadable"] == []


@pytest.mark.slow
def test_an_altered_report_ranks_nobody(
    team: Team, both: tuple[TakehomeReport, TakehomeReport]
) -> None:
    (better,) = [r for r in both if r.pack != both[0].pack]
    path = team.report_folder(better.pack) / "report.json"
    whole = path.read_bytes()
    best = better.model_copy(update={"score": Interval(low=100.0, high=100.0)})
    path.write_text(to_json(best), encoding="utf-8")
    assert "takes two reports" in run(team, "compare", code=2)["error"]
    path.write_bytes(whole)
    assert len(run(team, "compare")["candidates"]) == 2


@pytest.mark.slow
def test_an_earlier_report_that_is_put_back_ranks_nobody(
    team: Team, both: tuple[TakehomeReport, TakehomeReport], tmp_path: Path
) -> None:
    path = team.report_folder(both[1].pack) / "report.json"
    earlier = path.read_bytes()
    grading.write(both[1].model_copy(update={"score": Interval(low=1.0, high=2.0)}), team)
    assert len(run(team, "compare")["candidates"]) == 2
    path.write_bytes(earlier)
    assert "is an earlier report than the last one" in run(team, "compare", code=2)["error"]
    run(team, "scorecard", both[1].pseudonym, "--form", tmp_path / "marks.yaml", code=2)


@pytest.mark.slow
def test_a_report_in_another_candidates_folder_ranks_nobody(
    team: Team, both: tuple[TakehomeReport, TakehomeReport], tmp_path: Path
) -> None:
    one, other = (team.report_folder(report.pack) / "report.json" for report in both)
    shutil.copy(other, one)
    assert "in another candidate's folder" in run(team, "compare", code=2)["error"]
    run(team, "scorecard", both[0].pseudonym, "--form", tmp_path / "marks.yaml", code=2)
    copied = Path(shutil.copy(other, tmp_path / "report.json"))
    grading.write(both[0], team)
    assert len(run(team, "compare", one, copied)["candidates"]) == 2


@pytest.mark.slow
def test_where_too_few_can_be_read_it_is_said_who_is_left_out(
    team: Team, both: tuple[TakehomeReport, TakehomeReport]
) -> None:
    (team.folder / "reports" / str(both[0].pack) / "report.json").write_text("{}")
    said = run(team, "compare", code=2)["error"]
    assert "It takes two reports to compare." in said
    assert f"{both[0].pseudonym} is left out. " in said


@pytest.mark.slow
@pytest.mark.usefixtures("both")
def test_a_damaged_scorecard_hides_no_other(team: Team) -> None:
    third = team.scorecard_path(team.packs()[0].pack)
    third.write_text("{}")
    said = run(team, "compare", code=2)["error"]
    assert "is left out" in said
    assert "damaged" in said


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--times", "3"), ("--no-speed",)])
def test_how_to_measure_is_not_passed_over(team: Team, words: tuple[str, ...]) -> None:
    said = run(team, "calibrate", "gpu_engineer", *words, code=2)["error"]
    assert "say --measure as well" in said
