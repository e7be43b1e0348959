from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from hotloop.takehome.keys import KeyMissing
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
    said = [document["what"] for _, document in team.audited().documents]
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
    assert team.audited().breaks == []
    path = team.folder / "audit.jsonl"
    path.write_bytes(path.read_bytes().replace(own_team.packs[0].pseudonym.encode(), b"nobody"))
    assert team.audited().breaks
