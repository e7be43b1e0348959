import os
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hotloop.core import whole_file
from hotloop.learn.pack.keys import KeyMissing
from hotloop.takehome import audit_log
from hotloop.takehome.pack import make_pack
from hotloop.takehome.team import Team, TeamError

from .conftest import MADE, NAMES, Hired


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_secrets_are_for_their_owner_only(hired: Hired) -> None:
    for path in (hired.team.folder / "keys").iterdir():
        assert path.stat().st_mode & 0o077 == 0
        assert path.stat().st_size == 32
    for name in ("keys", "packs", "submissions", "reports", "candidates"):
        assert (hired.team.folder / name).stat().st_mode & 0o077 == 0


def test_a_key_that_others_may_read_is_not_used(own_team: Hired) -> None:
    (own_team.team.folder / "keys" / "signing.key").chmod(0o644)
    with pytest.raises(KeyMissing, match="chmod 600"):
        _ = Team(own_team.team.folder).key


def test_a_folder_is_made_once(own_team: Hired) -> None:
    before = own_team.team.key
    with pytest.raises(TeamError, match="has keys already"):
        Team.create(own_team.team.folder)
    assert Team(own_team.team.folder).key == before


def test_a_folder_that_is_no_teams(tmp_path: Path) -> None:
    with pytest.raises(TeamError, match="takehome init"):
        Team(tmp_path)


@pytest.mark.parametrize("below", ["", "below"])
def test_where_no_folder_can_be_made_is_told(tmp_path: Path, below: str) -> None:
    path = tmp_path / "file"
    path.write_text("kept")
    with pytest.raises(TeamError, match="cannot be made a team's folder"):
        Team.create(path / below)
    assert path.read_text() == "kept"


def test_a_damaged_description_says_where_to_take_it_from(own_team: Hired) -> None:
    (own_team.team.folder / "team.json").write_text("{}")
    with pytest.raises(TeamError, match=r"team\.json is damaged: take it from your backup"):
        Team(own_team.team.folder)


def test_packs_are_listed_and_found(hired: Hired) -> None:
    records = hired.team.packs()
    assert {record.pseudonym for record in records} == {pack.pseudonym for pack in hired.packs}
    for pack in hired.packs:
        assert hired.team.find(pack.pseudonym).pack == pack.manifest.pack
        assert hired.team.find(str(pack.manifest.pack)).pseudonym == pack.pseudonym
        assert hired.team.manifest(pack.manifest.pack) == pack.manifest
        assert hired.team.variant(pack.manifest.pack).digest == pack.manifest.variant
    with pytest.raises(TeamError):
        hired.team.find("quiet-otter-00")


def test_a_name_is_nowhere_in_the_folder(hired: Hired) -> None:
    held = everything_in(hired.team.folder)
    for name in NAMES:
        for part in name.split(" "):
            assert part.encode() not in held


def test_the_name_comes_after_the_scorecard_only(own_team: Hired) -> None:
    team, pack = own_team.team, own_team.packs[0].manifest.pack
    with pytest.raises(TeamError, match="not filed yet"):
        team.reveal(pack, "vera")
    team.report_folder(pack)
    team.scorecard_path(pack).write_text("{}")
    assert team.reveal(pack, "vera") == NAMES[0]
    said = [line.document and line.document["what"] for line in team.audited()]
    pseudonym = own_team.packs[0].pseudonym
    assert said[-2:] == [
        f"asked for the name of {pseudonym} before the scorecard",
        f"revealed the name of {pseudonym}",
    ]


def test_sealed_names_cannot_be_exchanged(own_team: Hired) -> None:
    team, (first, second) = own_team.team, own_team.packs
    folder = team.folder / "candidates"
    (folder / first.pseudonym).write_bytes((folder / second.pseudonym).read_bytes())
    team.report_folder(first.manifest.pack)
    team.scorecard_path(first.manifest.pack).write_text("{}")
    with pytest.raises(TeamError, match="cannot be opened"):
        team.reveal(first.manifest.pack, "vera")


def test_forgetting_leaves_nothing_of_one_and_all_of_the_other(own_team: Hired) -> None:
    team, (first, second) = own_team.team, own_team.packs
    pack = first.manifest.pack
    (team.report_folder(pack) / "report.json").write_text("{}")
    team.forget(pack, "vera")
    assert [record.pseudonym for record in team.packs()] == [second.pseudonym]
    left = [p for p in team.folder.rglob("*") if str(pack) in str(p) or first.pseudonym in str(p)]
    assert left == []
    assert team.variant(second.manifest.pack).digest == second.manifest.variant
    with pytest.raises(TeamError):
        team.pack(pack)


def test_what_is_due_is_known(own_team: Hired) -> None:
    keep = MADE + timedelta(days=14 + 180)
    assert own_team.team.due(keep - timedelta(seconds=1)) == []
    assert len(own_team.team.due(keep)) == 2


def test_the_window_starts_with_the_first_download(own_team: Hired) -> None:
    pack = own_team.packs[0].manifest.pack
    own_team.team.start(pack, MADE + timedelta(hours=1))
    record = own_team.team.start(pack, MADE + timedelta(hours=9))
    assert record.started == MADE + timedelta(hours=1)
    assert own_team.team.pack(pack) == record


def test_the_audit_log_shows_what_was_altered(own_team: Hired) -> None:
    team = own_team.team
    assert audit_log.breaks(team.audited()) == []
    path = team.folder / "audit.jsonl"
    path.write_bytes(path.read_bytes().replace(own_team.packs[0].pseudonym.encode(), b"nobody"))
    assert audit_log.breaks(team.audited())


class Killed(BaseException):
    """Simulates `kill -9`: no cleanup may run on it."""


def killed_at(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, nth: int) -> None:
    """Raise Killed at the nth call of a function."""
    real, calls = getattr(owner, name), iter(range(1, 10_000))

    def call(*args: object, **more: object) -> object:
        if next(calls) == nth:
            raise Killed
        return real(*args, **more)

    monkeypatch.setattr(owner, name, call)


@pytest.mark.parametrize("nth", range(1, 12))
def test_a_deletion_that_was_cut_off_is_ended_later(
    own_team: Hired, nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    team, (first, second) = own_team.team, own_team.packs
    pack = first.manifest.pack
    (team.report_folder(pack) / "report.json").write_text("{}")
    with monkeypatch.context() as patch:
        killed_at(patch, Path, "is_dir", nth)
        with suppress(Killed):
            team.forget(pack, "vera")
    team.sweep("vera")
    left = [p for p in team.folder.rglob("*") if str(pack) in str(p) or first.pseudonym in str(p)]
    assert left == []
    assert [record.pseudonym for record in team.packs()] == [second.pseudonym]
    assert team.variant(second.manifest.pack).digest == second.manifest.variant
    assert team.sweep("vera") == []


@pytest.mark.parametrize("nth", range(1, 6))
def test_a_pack_whose_making_was_cut_off_leaves_no_name(
    own_team: Hired, nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = own_team.team
    before = {path for path in team.folder.rglob("*") if path.name != "audit.jsonl"}
    role = team.role("gpu_engineer")
    with monkeypatch.context() as patch:
        killed_at(patch, whole_file, "replace", nth)
        with pytest.raises(Killed):
            make_pack(team, role, "Mary Jackson", now=MADE)
    assert len(team.packs()) == 2
    team.sweep("vera")
    assert {p for p in team.folder.rglob("*") if p.name != "audit.jsonl"} - before <= {
        team.folder / ".lock"
    }


@pytest.mark.parametrize("nth", range(1, 7))
def test_a_folder_whose_making_was_cut_off_is_made(
    tmp_path: Path, nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        killed_at(patch, os, "fsync", nth)
        with pytest.raises(Killed):
            Team.create(tmp_path / "team")
    if not (tmp_path / "team" / "team.json").exists():
        Team.create(tmp_path / "team")
    team = Team(tmp_path / "team")
    assert team.key.public == team.public_key


def test_sealed_names_are_of_one_length(own_team: Hired) -> None:
    team = own_team.team
    for pseudonym, name in (("calm-wren-11", "Li"), ("calm-wren-12", "é" * 200)):
        team.seal_name(pseudonym, name)
    sizes = {path.stat().st_size for path in (team.folder / "candidates").iterdir()}
    assert len(sizes) == 1


def test_another_deadline_moves_the_day_of_deletion(own_team: Hired) -> None:
    team, pack = own_team.team, own_team.packs[0].manifest.pack
    until = MADE + timedelta(days=300)
    record = team.extend(pack, until)
    assert record.keep_until == until + timedelta(days=180)
    assert record not in team.due(until)
    assert team.extend(pack, MADE + timedelta(days=1)).keep_until == record.keep_until


def test_a_deadline_that_is_over_is_none(own_team: Hired) -> None:
    team, pack = own_team.team, own_team.packs[0].manifest.pack
    before = team.pack(pack)
    with pytest.raises(TeamError, match="is over"):
        team.extend(pack, datetime.now(UTC) - timedelta(minutes=1))
    assert team.pack(pack) == before


def test_a_variant_that_was_exchanged_is_not_used(own_team: Hired) -> None:
    team, (first, second) = own_team.team, own_team.packs
    folders = [team.pack_folder(pack.manifest.pack) for pack in (first, second)]
    shutil.copyfile(folders[1] / "variant.json", folders[0] / "variant.json")
    with pytest.raises(TeamError, match="was signed for"):
        team.variant(first.manifest.pack)


def test_a_fault_in_another_role_is_nothing_to_this_one(own_team: Hired) -> None:
    path = own_team.team.role_path("another")
    path.parent.mkdir()
    path.write_text("title: [")
    assert own_team.team.role("gpu_engineer").role == "gpu_engineer"


def test_another_teams_keys_are_noticed_before_they_sign(own_team: Hired, tmp_path: Path) -> None:
    strange = Team.create(tmp_path / "strange")
    shutil.copytree(strange.folder / "keys", own_team.team.folder / "keys", dirs_exist_ok=True)
    again = Team(own_team.team.folder)
    before = sorted(again.folder.rglob("*"))
    with pytest.raises(KeyMissing, match="holds another team's keys"):
        make_pack(again, again.role("gpu_engineer"), "C. D.", now=MADE)
    assert sorted(again.folder.rglob("*")) == before


def test_a_date_beyond_the_calendar_is_told(own_team: Hired) -> None:
    pack = own_team.packs[0].manifest.pack
    with pytest.raises(TeamError, match="too far away: set one up to 2200"):
        own_team.team.extend(pack, datetime(9999, 10, 1, tzinfo=UTC))
