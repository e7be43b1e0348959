"""A team's portal with one member and two candidates, made once; and copies for tests to change."""

import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from argon2 import PasswordHasher

pytest.importorskip("fastapi", reason="the group `takehome` is not installed")

from hotloop.service.settings import ServiceSettings
from hotloop.service.takehome import links, passwords
from hotloop.service.takehome.portal import Portal
from hotloop.takehome.pack import make_pack
from hotloop.takehome.submission_file import make_submission
from hotloop.takehome.team import Team

from .office import MEMBER, NAMES, OFTEN, PASSWORD, ROLE, TITLE, Browser, Office


@pytest.fixture(autouse=True)
def every_version(installs: None) -> None:
    """No index has this version, and a pack is made all the same."""


@pytest.fixture(scope="session", autouse=True)
def costly() -> Iterator[PasswordHasher]:
    """The real password hasher; the tests use one with less work."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_nobody", cheap.hash("nobody's password"))
        hasher = passwords._hasher
        patch.setattr(passwords, "_hasher", cheap)
        yield hasher


@pytest.fixture(scope="session")
def made(
    costly: PasswordHasher, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, tuple[UUID, UUID]]:
    """A team's folder with its portal, to be copied."""
    team = Team.create(tmp_path_factory.mktemp("office") / "team")
    path = team.role_path("gpu_engineer")
    path.parent.mkdir(parents=True)
    path.write_text(ROLE.format(title=TITLE))
    portal = Portal.open(ServiceSettings(("takehome",), team=team.folder))
    passwords.add(portal.engine, MEMBER, PASSWORD)
    role, now = team.role("gpu_engineer"), datetime.now(UTC)
    packs = [make_pack(team, role, name, now=now).manifest for name in NAMES]
    for manifest in packs:
        links.make(portal.engine, portal.secret, manifest.pack, manifest.expires)
    portal.close()
    return team.folder, (packs[0].pack, packs[1].pack)


@pytest.fixture
def opened(made: tuple[Path, tuple[UUID, UUID]], tmp_path: Path) -> Iterator[Callable[..., Office]]:
    """Returns a function that opens a copy of the office with the given settings."""
    portals: list[Portal] = []

    def open_office(**settings: Any) -> Office:
        folder, packs = made
        copied = tmp_path / f"team{len(portals)}"
        shutil.copytree(folder, copied)
        chosen = ServiceSettings(("takehome",), team=copied, rates=OFTEN)
        portals.append(Portal.open(replace(chosen, **settings)))
        return Office(portals[-1], packs)

    yield open_office
    for portal in portals:
        portal.close()


@pytest.fixture
def office(opened: Callable[..., Office]) -> Office:
    return opened()


@pytest.fixture
def stranger(office: Office) -> Browser:
    return Browser(office.portal)


@pytest.fixture
def member(office: Office) -> Browser:
    """A browser of the team's member, logged in."""
    browser = Browser(office.portal)
    assert browser.log_in().status_code == 303
    return browser


@pytest.fixture
def work(tmp_path: Path) -> Callable[..., bytes]:
    """Returns a function that makes the submission of a candidate's pack: the zip's bytes."""

    def submission(office: Office, number: int = 0, extra: dict[str, str] | None = None) -> bytes:
        target = tmp_path / f"work{number}{len(extra or {})}"
        with zipfile.ZipFile(office.team.pack_file(office.packs[number])) as archive:
            archive.extractall(target)
        (folder,) = target.iterdir()
        for name, text in (extra or {}).items():
            (folder / name).write_text(text)
        return make_submission(folder).read_bytes()

    return submission
