"""A team with two candidates of one role, made once; and copies of it that a test may change."""

import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("cryptography", reason="the group `takehome` is not installed")

from hotloop.takehome.pack import Pack, make_pack
from hotloop.takehome.role import starting_text
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.tasks import curriculum

NOTICE = (
    "Example Inc. is responsible for your data, keeps them to decide about your application, and "
    "deletes them after the time that the instructions name."
)
ABOUT = ("hiring@example.org", NOTICE)
"""Contact and privacy notice, as PEOPLE says them in a role."""

PEOPLE = """\
contact: hiring@example.org
privacy_notice: >-
  Example Inc. is responsible for your data, keeps them to decide about your application, and
  deletes them after the time that the instructions name.
"""
ROLE = f"""\
format: 1
role: gpu_engineer
title: GPU engineer, inference
module: fused_softmax
tasks:
  - {{task: online_pass, weight: 1}}
  - {{task: triton_forward, weight: 3, minutes: 90}}
  - {{task: explain, weight: 1}}
window_hours: 72
expires: 14
help:
  allowed: [documentation, search engines]
  forbidden: [another person's code]
{PEOPLE}"""
MADE = datetime(2030, 1, 1, 12, tzinfo=UTC)
RECEIVED = MADE + timedelta(days=2)
STRANGER = "Quirinya Vandermolhoek"
"""A name that no text of Hotloop contains by chance."""

NAMES = ("Ada Lovelace-Grünwald", "Grace Hopper-Østergård")


@dataclass(frozen=True)
class Hired:
    """A team, and the packs of its candidates in the order of NAMES."""

    team: Team
    packs: tuple[Pack, Pack]


@pytest.fixture(scope="session")
def hired(tmp_path_factory: pytest.TempPathFactory) -> Hired:
    """The team, shared by tests; must not be changed."""
    team = Team.create(tmp_path_factory.mktemp("team") / "team")
    path = team.role_path("gpu_engineer")
    path.parent.mkdir(parents=True)
    path.write_text(ROLE)
    role = team.role("gpu_engineer")
    first, second = (make_pack(team, role, name, now=MADE) for name in NAMES)
    return Hired(team, (first, second))


@pytest.fixture(scope="session")
def whole_pack(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Team, Pack]]:
    """Makes the pack with all tasks of a module, once for each module."""
    team = Team.create(tmp_path_factory.mktemp("whole") / "team")

    @cache
    def made(module: str) -> tuple[Team, Pack]:
        path = team.role_path(module)
        path.parent.mkdir()
        found = curriculum.load_module(module)
        path.write_text(starting_text(module, "x", found, found.tasks, about=ABOUT))
        return team, make_pack(team, team.role(module), STRANGER, now=MADE)

    return made


@pytest.fixture
def own_team(hired: Hired, tmp_path: Path) -> Hired:
    """A copy of the team that a test may change."""
    team = Team(Path(shutil.copytree(hired.team.folder, tmp_path / "team")))
    first, second = (Pack(team.pack_file(p.manifest.pack), p.manifest) for p in hired.packs)
    return Hired(team, (first, second))


@pytest.fixture
def unpack(tmp_path: Path) -> Callable[[Pack], Path]:
    """Unpacks as a candidate does; returns the folder with the notebook."""

    def unpacked(pack: Pack) -> Path:
        with zipfile.ZipFile(pack.path) as archive:
            archive.extractall(tmp_path / "candidate")
        return tmp_path / "candidate" / pack.pseudonym

    return unpacked


@pytest.fixture(scope="session")
def worked(hired: Hired, tmp_path_factory: pytest.TempPathFactory) -> tuple[Hired, Submission]:
    """A team whose first candidate has handed in, shared by tests; must not be changed."""
    from .made_reports import handed_in

    folder = tmp_path_factory.mktemp("worked")
    team = Team(Path(shutil.copytree(hired.team.folder, folder / "team")))
    return Hired(team, hired.packs), handed_in(team, hired.packs[0], folder / "first")
