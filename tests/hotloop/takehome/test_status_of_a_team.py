"""What `hotloop takehome status` says of a team's candidates."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.takehome.pack import make_pack

from .conftest import MADE, Hired
from .made_reports import handed_in


@pytest.mark.slow
@pytest.mark.parametrize("more_time", ["accommodation", "extension"])
def test_who_had_more_time_is_not_shown_after_the_hand_in(
    own_team: Hired, tmp_path: Path, more_time: str
) -> None:
    team = own_team.team
    role = team.role("gpu_engineer")
    factor = 1.5 if more_time == "accommodation" else None
    plain = make_pack(team, role, "A. B.", now=MADE)
    longer = make_pack(team, role, "C. D.", now=MADE, accommodation=factor)
    if factor is None:
        team.extend(longer.manifest.pack, MADE + timedelta(days=20))
    before = {one: rows(team.folder)[one] for one in (plain.pseudonym, longer.pseudonym)}
    assert before[plain.pseudonym]["until"] != before[longer.pseudonym]["until"]
    handed_in(team, plain, tmp_path / "plain")
    handed_in(team, longer, tmp_path / "longer")
    told = [rows(team.folder)[one] for one in (plain.pseudonym, longer.pseudonym)]
    own = {"pack", "pseudonym"}
    first, second = ({k: v for k, v in row.items() if k not in own} for row in told)
    assert first == second
    shown = CliRunner().invoke(app, ["takehome", "status", str(team.folder)]).output.splitlines()
    lines = {one: next(line for line in shown if one in line) for one in before}
    first, second = (lines[one].replace(one, "").split() for one in before)
    assert first == second


def rows(team: Path) -> dict[str, dict[str, object]]:
    done = CliRunner().invoke(app, ["takehome", "status", str(team), "--json"])
    return {row["pseudonym"]: row for row in json.loads(done.stdout)["packs"]}
