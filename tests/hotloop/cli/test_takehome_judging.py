"""From a hand-in to a decision on the command line: grade, verify, compare, scorecard, reveal."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

pytest.importorskip("cryptography", reason="the group `takehome` is not installed")

from hotloop.cli import app
from hotloop.cli.takehome import grade
from hotloop.core.intervals import Interval
from hotloop.core.user_error import UserError
from hotloop.takehome.pack import make_pack
from hotloop.takehome.team import Team
from hotloop.tasks import render

ROLE = """\
format: 1
role: engineer
title: An engineer
module: fused_softmax
tasks:
  - {task: online_pass, weight: 3}
  - {task: explain, weight: 1}
window_hours: 72
contact: hiring@example.org
privacy_notice: >-
  Example Inc. is responsible for your data, keeps them to decide about your application, and
  deletes them after the time that the instructions name.
expires: 14
"""
NAMES = ("Ada Lovelace", "Grace Hopper")


pytestmark = pytest.mark.usefixtures("installs")


def run(*words: str | Path, code: int = 0) -> Any:
    done = CliRunner().invoke(app, ["takehome", *map(str, words), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def shown(*words: str | Path) -> str:
    done = CliRunner().invoke(app, ["takehome", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def hiring(folder: Path) -> Path:
    """Create a team's folder with the role."""
    team = Team.create(folder / "team")
    path = team.role_path("engineer")
    path.parent.mkdir(parents=True)
    path.write_text(ROLE)
    return team.folder


def candidate(team: Path, name: str, folder: Path, *, solved: bool) -> tuple[str, Path]:
    """Make a pack and hand it in; return the pseudonym and the zip."""
    made = run("new", "engineer", "--name", name, "--team", team)
    with zipfile.ZipFile(made["file"]) as archive:
        archive.extractall(folder)
    work = folder / made["pseudonym"]
    if solved:
        variant = Team(team).variant(Team(team).find(made["pseudonym"]).pack)
        files = render.submission("fused_softmax", variant=variant)
        (work / "lab.ipynb").write_bytes(files["lab.ipynb"])
    return made["pseudonym"], Path(run("submit", work)["submission"])


@pytest.mark.slow
@pytest.mark.sandbox
def test_from_hand_in_to_the_name(tmp_path: Path) -> None:
    team = hiring(tmp_path)
    right, handed_in = candidate(team, NAMES[0], tmp_path, solved=True)
    nothing, empty = candidate(team, NAMES[1], tmp_path, solved=False)

    graded = run("grade", handed_in, empty, "--team", team)
    assert graded["refused"] == {}
    first, second = graded["reports"]
    assert first["tasks"]["online_pass"]["verdict"] == "passed"
    assert first["score"] == {"low": 75.0, "high": 100.0}
    assert second["score"] == {"low": 0.0, "high": 0.0}
    report = Path(first["report"])
    jsonschema.validate(json.loads(report.read_text()), run("grade", "--schema"))
    page = Path(first["page"]).read_text()
    assert right in page
    assert not any(part in page for name in NAMES for part in name.split())

    verified = run("grade", "--verify", report)
    assert verified["holds"]
    better = report.read_text().replace('"low": 75.0', '"low": 99.0')
    report.write_text(better)
    assert not run("grade", "--verify", report, code=1)["holds"]
    again = shown("grade", right, "--team", team)
    assert f"\n{right}: {first['page']}\n" in again

    compared = run("compare", "--team", team)
    assert compared["pairs"][0]["higher"] == right
    assert {one["pseudonym"] for one in compared["candidates"]} == {right, nothing}
    assert "1 of 1 pairs are ranked" in shown("compare", "--team", team)

    marks = tmp_path / "marks.yaml"
    _file_scorecard(team, right, marks)
    mistaken = run("scorecard", nothing, "--team", team, "--file", marks, code=2)
    assert mistaken["error"].endswith(f"is the form for {right}, not for {nothing}.")
    assert run("scorecard", right, "--reveal", "--team", team)["name"] == NAMES[0]
    run("scorecard", nothing, "--reveal", "--team", team, code=2)

    calibrated = run("calibrate", "engineer", "--team", team)
    assert calibrated["candidates"] == 2
    assert calibrated["tasks"][0]["difficulty"]["mean"] == 0.5
    assert "hints" in shown("calibrate", "engineer", "--team", team)


def _file_scorecard(team: Path, pseudonym: str, form: Path) -> None:
    run("scorecard", pseudonym, "--reveal", "--team", team, code=2)
    run("scorecard", pseudonym, "--team", team, "--form", form)
    incomplete = run("scorecard", pseudonym, "--team", team, "--file", form, code=2)
    assert "has no mark yet" in incomplete["error"]
    filling = yaml.safe_load(form.read_text())
    for key in ("task.explain", "overall"):
        filling["marks"][key] = {"mark": 3, "note": "three of four bounds, with units"}
    filling["decision"] = "hold"
    form.write_text(json.dumps(filling))
    filed = run("scorecard", pseudonym, "--team", team, "--file", form)["filed"]
    assert (filed["version"], filed["name_known"], filed["decision"]) == (1, False, "hold")
    assert "Version 1" in shown("scorecard", pseudonym, "--team", team)
    run("scorecard", pseudonym, "--team", team, "--form", form, code=2)


@pytest.mark.sandbox
def test_what_cannot_be_graded_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    team = tmp_path / "team"
    Team.create(team)
    strange = tmp_path / "x.zip"
    strange.write_bytes(b"no zip")
    found = run("grade", strange, "calm-wren-33", "--team", team, code=1)
    assert found["reports"] == []
    assert set(found["refused"]) == {str(strange), "calm-wren-33"}
    assert "No pack here" in found["refused"]["calm-wren-33"]
    done = CliRunner().invoke(app, ["takehome", "grade", str(strange), "--team", str(team)])
    assert done.stdout.startswith(f"{strange}: not taken.".split("/")[0])
    assert "verdict" not in done.stdout


@pytest.mark.slow
@pytest.mark.sandbox
def test_what_came_by_mail_in_time_is_graded_later(tmp_path: Path) -> None:
    team = hiring(tmp_path)
    came = (datetime.now(UTC) - timedelta(days=10)).replace(second=0, microsecond=0)
    role = Team(team).role("engineer")
    pack = make_pack(Team(team), role, NAMES[0], now=came - timedelta(days=10))
    with zipfile.ZipFile(pack.path) as archive:
        archive.extractall(tmp_path)
    handed_in = run("submit", tmp_path / pack.pseudonym)["submission"]
    late = run("grade", handed_in, "--team", team, code=1)
    assert "The time for it ended" in late["refused"][handed_in]
    at = f"{came:%Y-%m-%dT%H:%M}"
    graded = run("grade", handed_in, "--received", at, "--team", team)
    assert graded["refused"] == {}
    (kept,) = Team(team).pack(pack.manifest.pack).submitted
    assert kept.received == came
    noted = [line.document["what"] for line in Team(team).audited() if line.document]
    assert [what for what in noted if not what.startswith("wrote")][-3:] == [
        "was given a submission that is not taken: expired",
        f"took in the work of {pack.pseudonym}, of {came:%Y-%m-%d %H:%M} UTC",
        f"had {pack.pseudonym} graded",
    ]
    again = run("grade", handed_in, "--received", "2020-01-01T00:00", "--team", team, code=1)
    assert "It was taken before" in again["refused"][handed_in]


@pytest.mark.parametrize(
    ("received", "says"),
    [
        ("yesterday", "is no date and time such as"),
        ("2030-01-31", "is no date and time such as"),
        ("9999-01-01T00:00", "is still to come"),
        ("2020-01-01T00:00", "is for zips that came by mail"),
    ],
)
def test_a_moment_that_cannot_be_is_refused(tmp_path: Path, received: str, says: str) -> None:
    team = tmp_path / "team"
    Team.create(team)
    found = run("grade", "calm-wren-33", "--received", received, "--team", team, code=2)
    assert says in found["error"]


@pytest.mark.sandbox
def test_what_is_no_report_cannot_be_verified(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("{}")
    assert "is no report" in run("grade", "--verify", path, code=2)["error"]


def test_the_schema_is_one_document() -> None:
    document = run("grade", "--schema")
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["additionalProperties"] is False


@pytest.mark.parametrize("columns", ["40", "110"])
def test_the_schema_is_json_for_people_too(columns: str) -> None:
    done = CliRunner().invoke(app, ["takehome", "grade", "--schema"], env={"COLUMNS": columns})
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == run("grade", "--schema")


def test_of_several_each_report_is_told_as_soon_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever ends the command in between knows what is done."""
    Team.create(tmp_path / "team")
    told: list[str] = []

    class Line:
        def __call__(self, text: str) -> None:
            told.append(f"works on: {text}")

        def print(self, text: str) -> None:
            told.append(text)

    @contextmanager
    def line() -> Iterator[Line]:
        yield Line()

    def graded(_team: Team, name: str, _at: object, say: Line, _jobs: int) -> tuple[Any, Path]:
        say(f"{name}: online_pass")
        if name == "b":
            raise UserError("No pack here.")
        return SimpleNamespace(pseudonym=name, score=Interval(low=50, high=62)), Path("r.html")

    monkeypatch.setattr(grade, "judging_line", line)
    monkeypatch.setattr(grade, "require_sandbox", lambda: None)
    monkeypatch.setattr(grade, "_graded", graded)
    monkeypatch.setattr(grade, "_document", lambda report, _html: report.pseudonym)
    monkeypatch.setattr(grade, "_shown", lambda _graded: [])
    found = run("grade", "a", "b", "c", "--team", tmp_path / "team", code=1)
    assert found == {"reports": ["a", "c"], "refused": {"b": "No pack here."}}
    assert told == [
        "works on: 1 of 3, a: online_pass",
        "1 of 3: a: 50 to 62 of 100, r.html",
        "works on: 2 of 3, b: online_pass",
        "2 of 3: b: not taken.",
        "works on: 3 of 3, c: online_pass",
        "3 of 3: c: 50 to 62 of 100, r.html",
    ]
    told.clear()
    run("grade", "a", "--team", tmp_path / "team")
    assert told == ["works on: a: online_pass"]
