"""The restore drill: a team loses its folder, and goes on from the backup."""

import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.service.settings import ServiceSettings
from hotloop.service.takehome.portal import Portal
from hotloop.service.web.queue import WorkState
from hotloop.takehome import backup, forgetting, scorecard
from hotloop.takehome.backup import BackupError

from .office import NAMES, OFTEN, Browser, Office
from .reported import filled, reported


@pytest.fixture
def busy(office: Office, work: Callable[..., bytes], tmp_path: Path) -> Office:
    """An office in which the first candidate is graded and marked, and the second has handed in."""
    submission = reported(office, work(office), tmp_path)
    office.portal.queue.add(office.packs[0], submission.digest, WorkState.DONE)
    scorecard.file(office.team, office.packs[0], filled(office.team, office.packs[0]), "rita")
    assert Browser(office.portal).upload(office.page(1), work(office, 1)).status_code == 303
    return office


def run(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["takehome", *map(str, words)])
    return done.exit_code, done.output


@pytest.mark.slow
def test_a_team_goes_on_from_its_backup(busy: Office, tmp_path: Path) -> None:
    page, pack, other = busy.page(1), *busy.packs
    zipped, file = busy.team.submissions(other)[0].read_bytes(), tmp_path / "backup.tar"
    # The portal runs, and something is written to its database, while the backup is made.
    with busy.portal.engine.connect():
        assert run("backup", file, "--team", busy.team.folder)[0] == 0
    assert file.stat().st_mode & 0o077 == 0
    busy.portal.close()
    shutil.rmtree(busy.team.folder)

    restored = tmp_path / "restored"
    code, said = run("restore", file, restored)
    assert (code, "2 packs" in said) == (0, True), said
    assert (restored / "keys").stat().st_mode & 0o077 == 0
    portal = Portal.open(ServiceSettings(("takehome",), team=restored, rates=OFTEN))
    try:
        anna, candidate = Browser(portal), Browser(portal, "192.0.2.3")
        assert anna.log_in().status_code == 303
        assert anna.get(f"/candidates/{pack}/report").status_code == 200
        assert NAMES[0] in anna.send(f"/candidates/{pack}/reveal").text
        assert "has arrived" in candidate.get(page).text
        assert portal.team.submissions(other)[0].read_bytes() == zipped
        states = {key[0]: one.state for key, one in portal.queue.all().items()}
        assert states == {pack: WorkState.DONE, other: WorkState.WAITING}
        # New packs are signed and old ones verified with the same keys.
        assert anna.send("/candidates", role="gpu_engineer", name="New One").status_code == 303
    finally:
        portal.close()


@pytest.mark.slow
def test_whoever_was_deleted_since_does_not_come_back(busy: Office, tmp_path: Path) -> None:
    team, name = busy.team, busy.team.pack(busy.packs[0]).pseudonym
    backup.write(team, tmp_path / "backup.tar")
    forgetting.forget(team, busy.packs[0], "vera")
    later = team.folder / "audit.jsonl"
    code, said = run("restore", tmp_path / "backup.tar", tmp_path / "new", "--later", later)
    assert (code, f"{name} was deleted after the backup" in said) == (0, True), said
    left = [path for path in (tmp_path / "new").rglob("*") if name.encode() in bytes(path)]
    left += [
        path
        for path in (tmp_path / "new").rglob("*")
        if path.is_file() and path.name != "audit.jsonl" and name.encode() in path.read_bytes()
    ]
    assert left == []
    assert "name a later audit.jsonl" in run("restore", tmp_path / "backup.tar", tmp_path / "b")[1]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["submissions", "reports", "keys", "audit.jsonl", "packs"])
def test_what_is_damaged_in_a_backup_is_said(busy: Office, tmp_path: Path, what: str) -> None:
    for path in [busy.team.folder / what, *(busy.team.folder / what).rglob("*")]:
        if path.is_file() and path.suffix in ("", ".zip", ".json", ".jsonl", ".key", ".pem"):
            data, middle = path.read_bytes(), path.stat().st_size // 2
            path.write_bytes(data[:middle] + b"x" * 9 + data[middle + 9 :])
    backup.write(busy.team, tmp_path / "backup.tar")
    done = CliRunner().invoke(
        app, ["takehome", "restore", str(tmp_path / "backup.tar"), str(tmp_path / "new"), "--json"]
    )
    assert done.exit_code == 1, done.output
    assert json.loads(done.stdout)["problems"]


def test_a_backup_is_written_once_and_elsewhere(office: Office, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="elsewhere"):
        backup.write(office.team, office.team.folder / "backup.tar")
    backup.write(office.team, tmp_path / "backup.tar")
    with pytest.raises(BackupError, match="cannot be written"):
        backup.write(office.team, tmp_path / "backup.tar")
    with pytest.raises(BackupError, match="exists already"):
        backup.restore(tmp_path / "backup.tar", tmp_path)


def test_another_file_is_no_backup(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    with tarfile.open(tmp_path / "other.tar", "w") as archive:
        archive.add(tmp_path / "x", "../../outside")
    for name in ("x", "other.tar", "nothing"):
        with pytest.raises(BackupError, match="no backup of a team"):
            backup.restore(tmp_path / name, tmp_path / f"new-{name}")
    assert not (tmp_path.parent / "outside").exists()
