"""A copy of all data about a candidate: everything of theirs, and nobody else."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.learn.predicting.scores import VivaScore
from hotloop.takehome import feedback, grading, scorecard, viva
from hotloop.takehome.data_export import export
from hotloop.takehome.scorecard import Filing, Mark
from hotloop.takehome.team import Team

from .conftest import NAMES, Hired
from .made_reports import handed_in, report_on


@pytest.fixture
def known(own_team: Hired, tmp_path: Path) -> Hired:
    """A team in which all is stored about the first candidate that can be."""
    team = own_team.team
    for number, pack in enumerate(own_team.packs):
        submission = handed_in(team, pack, tmp_path / str(number))
        grading.write(report_on(team, submission), team)
    pack = own_team.packs[0].manifest.pack
    marks = {key: Mark(mark=2, note="said so") for key in ("task.explain", "overall")}
    beside = f"Like {own_team.packs[1].pseudonym}."
    filing = Filing(decision="hold", marks=marks, note=beside)
    scorecard.file(team, pack, filing, "rita")
    scorecard.file(team, pack, filing, "sam")
    feedback.publish(team, pack, "Well done.", "rita", measured=True)
    answers = viva.Filed(
        filed=scorecard.reviews(team, pack, report_digest(team, own_team))[0].filed,
        by="rita",
        submission=report_digest(team, own_team),
        answers=viva.VivaFile(candidate=own_team.packs[0].pseudonym),
        score=VivaScore(own=None, fixed=None),
    )
    (team.report_folder(pack) / viva.ANSWERS).write_text(answers.model_dump_json())
    return own_team


def report_digest(team: Team, hired: Hired) -> str:
    return team.pack(hired.packs[0].manifest.pack).submitted[-1].digest


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


@pytest.mark.slow
def test_all_that_is_stored_is_in_it(known: Hired) -> None:
    team, pack = known.team, known.packs[0]
    _, data = export(team, pack.manifest.pack, "vera", {"link": {"expires": "2030"}})
    files = unzipped(data)
    # Whoever adds a file about a candidate has to add it here, or to say why not.
    ours = {path.name for path in team.report_folder(pack.manifest.pack).iterdir()}
    assert ours == {
        *("report.json", "report.html", "scorecard.json", "scorecards"),
        *("feedback.json", "viva_answers.json"),
    }
    assert files.keys() == {
        *("README.txt", "data.json", "report.json", "report.html", "feedback.json", "viva.json"),
        *("reviews/1.json", "reviews/2.json", "submissions/1.zip"),
    }
    (zipped,) = team.submissions(pack.manifest.pack)
    assert files["submissions/1.zip"] == zipped.read_bytes()
    document = json.loads(files["data.json"])
    assert document["name"] == NAMES[0]
    assert document["record"] == team.pack(pack.manifest.pack).model_dump(mode="json")
    assert document["terms"]["accommodation"] == 1.0
    assert document["portal"] == {"link": {"expires": "2030"}}
    assert any("made pack" in line["what"] for line in document["log"])
    assert pack.manifest.privacy_notice in files["README.txt"].decode()


@pytest.mark.slow
def test_nobody_else_is_in_it(known: Hired) -> None:
    _, data = export(known.team, known.packs[0].manifest.pack, "vera")
    for name, content in unzipped(data).items():
        for word in (known.packs[1].pseudonym, NAMES[1], '"rita"', '"sam"', '"vera"'):
            assert word.encode() not in content, (name, word)
    assert "another candidate" in unzipped(data)["report.json"].decode()
    assert json.loads(unzipped(data)["report.json"])["follow_ups"] == []


@pytest.mark.slow
def test_the_log_says_who_exported_and_marks_are_blind_no_more(known: Hired) -> None:
    team, pack = known.team, known.packs[1].manifest.pack
    marks = {key: Mark(mark=2, note="said so") for key in ("task.explain", "overall")}
    filing = Filing(decision="hold", marks=marks)
    assert not scorecard.file(team, pack, filing, "rita").name_known
    export(team, pack, "vera")
    last = team.audited()[-1].document or {}
    assert (last["who"], last["what"]) == (
        "vera",
        f"exported all data of {team.pack(pack).pseudonym}",
    )
    assert scorecard.file(team, pack, filing, "rita").name_known


@pytest.mark.slow
def test_the_command_writes_it_once(known: Hired, tmp_path: Path) -> None:
    name, target = known.packs[0].pseudonym, tmp_path / "copy.zip"
    words = ["takehome", "export", name, "--to", str(target), "--team", str(known.team.folder)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert NAMES[0] not in done.output
    assert target.stat().st_mode & 0o077 == 0
    assert "data.json" in unzipped(target.read_bytes())
    assert CliRunner().invoke(app, words).exit_code == 2
