"""After a deletion nothing in the team's folder names the candidate but the audit log."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.takehome import forgetting, grading
from hotloop.takehome.report import HTML_NAME, JSON_NAME
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.team import Team

from .conftest import Hired
from .made_reports import handed_in, report_on


@pytest.fixture
def alike(own_team: Hired, tmp_path: Path) -> tuple[Team, str]:
    """Two candidates with nearly the same work; the pseudonym of the first."""
    team = own_team.team
    for number, pack in enumerate(own_team.packs):
        submission = handed_in(team, pack, tmp_path / str(number))
        grading.write(report_on(team, submission), team)
    name = own_team.packs[0].pseudonym
    assert len(traces(team, name, but=own_team.packs[0].manifest.pack.hex)) > 0
    other = team.report_path(own_team.packs[1].manifest.pack)
    assert all(name in other.with_name(file).read_text() for file in (JSON_NAME, HTML_NAME))
    return team, name


def traces(team: Team, name: str, but: str = "") -> list[Path]:
    """Return the files that name a candidate. but: their own folders' name."""
    return [
        path
        for path in sorted(team.folder.rglob("*"))
        if path.is_file()
        and path.name != "audit.jsonl"
        and (not but or but not in str(path).replace("-", ""))
        and (name in path.name or name.encode() in path.read_bytes())
    ]


def by_function(team: Team, name: str) -> None:
    forgetting.forget(team, team.find(name).pack, "vera")


def by_command(team: Team, name: str) -> None:
    words = ["takehome", "forget", name, "--yes", "--team", str(team.folder), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["traces"] == []


def after_a_crash(team: Team, name: str) -> None:
    """The first deletion ends before the reports on others are written."""
    team.forget(team.find(name).pack, "vera")
    assert traces(team, name)
    words = ["takehome", "forget", "--due", "--yes", "--team", str(team.folder), "--json"]
    assert CliRunner().invoke(app, words).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("way", [by_function, by_command, after_a_crash])
def test_nothing_is_left_in_reports_on_others(
    alike: tuple[Team, str], way: Callable[[Team, str], None]
) -> None:
    team, name = alike
    way(team, name)
    assert traces(team, name) == []
    (record,) = team.packs()
    # The report on the other one is whole, and is the team's own.
    assert OwnReports(team).read(team.report_path(record.pack)).pseudonym != name


@pytest.mark.slow
def test_nothing_is_left_where_the_other_work_is_lost(alike: tuple[Team, str]) -> None:
    team, name = alike
    other = next(record for record in team.packs() if record.pseudonym != name)
    kept = OwnReports(team).read(team.report_path(other.pack)).signals
    for path in team.submissions(other.pack):
        path.unlink()
    by_function(team, name)
    assert traces(team, name) == []
    left = OwnReports(team).read(team.report_path(other.pack)).signals
    assert [one for one in kept if name not in one.title + "".join(one.evidence)] == left


@pytest.mark.slow
def test_a_report_that_was_edited_is_named(alike: tuple[Team, str]) -> None:
    team, name = alike
    other = next(record for record in team.packs() if record.pseudonym != name)
    path = team.report_path(other.pack)
    path.write_text(path.read_text() + "\n")
    words = ["takehome", "forget", name, "--yes", "--team", str(team.folder), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert str(path) in json.loads(done.stdout)["traces"]
