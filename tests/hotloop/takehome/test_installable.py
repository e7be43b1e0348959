"""No pack is made whose first command would fail. pip is run as a candidate runs it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.takehome import installable
from hotloop.takehome.role import WHEEL, TakehomeRole
from hotloop.takehome.team import TeamError

from .conftest import Hired
from .small_wheel import small_wheel


@pytest.fixture
def role(own_team: Hired) -> Callable[[str], TakehomeRole]:
    """Returns a function that adds a line to the team's role."""

    def changed(line: str) -> TakehomeRole:
        path = own_team.team.role_path("gpu_engineer")
        path.write_text(path.read_text() + line + "\n")
        return own_team.team.role("gpu_engineer")

    return changed


def test_a_wheel_in_the_folder_is_found(
    own_team: Hired, role: Callable[[str], TakehomeRole]
) -> None:
    small_wheel(own_team.team.folder)
    installable.require(own_team.team, role(f"wheel: {WHEEL}"))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: None, "there is no wheel"),
        (lambda folder: small_wheel(folder, extras=("takehome",)), "has no extra course"),
        (lambda folder: (folder / WHEEL).write_bytes(b"no zip"), "is no wheel of Hotloop"),
    ],
    ids=["missing", "without the extra", "damaged"],
)
def test_a_wheel_that_cannot_be_installed_is_refused(
    own_team: Hired, role: Callable[[str], TakehomeRole], make: Callable[[Path], object], says: str
) -> None:
    make(own_team.team.folder)
    with pytest.raises(TeamError, match=says):
        installable.require(own_team.team, role(f"wheel: {WHEEL}"))


@pytest.mark.slow
def test_another_version_is_refused(own_team: Hired, role: Callable[[str], TakehomeRole]) -> None:
    path = small_wheel(own_team.team.folder, version="9.9")
    other = path.rename(path.with_name("hotloop-9.9-py3-none-any.whl"))
    with pytest.raises(TeamError, match="packs are made with"):
        installable.require(
            own_team.team, role(f"install: 'hotloop[course] @ file://{other}'".replace("'", '"'))
        )


@pytest.mark.slow
def test_what_no_index_has_is_refused_with_what_to_do(
    own_team: Hired, role: Callable[[str], TakehomeRole], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(TeamError, match=r"would fail.*No matching distribution.*make wheel"):
        installable.require(own_team.team, role("keep_days: 90"))
