"""Candidates need neither cryptography nor a web server, and courses need none of the group."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.takehome.pack import Pack

from .conftest import Hired

ONLY_TEAMS = ("cryptography", "fastapi", "uvicorn", "argon2", "itsdangerous")
PROGRAM = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None
from hotloop.cli import main
sys.argv = ["hotloop", "takehome", *{words!r}, "--json"]
main()
"""


@pytest.mark.slow
def test_the_candidates_side_works_without_it(hired: Hired, unpack: Callable[[Pack], Path]) -> None:
    folder = unpack(hired.packs[0])
    program = PROGRAM.format(blocked=ONLY_TEAMS, words=["submit"])
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["submission"]


@pytest.mark.slow
def test_the_teams_side_says_what_to_install(hired: Hired) -> None:
    program = PROGRAM.format(blocked=["cryptography"], words=["status", str(hired.team.folder)])
    program = f"import importlib.util as u; f = u.find_spec\n{HIDING}\n{program}"
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2, done.stderr
    assert "pip install 'hotloop[takehome]'" in json.loads(done.stdout)["error"]


HIDING = "u.find_spec = lambda name, *more: None if name == 'cryptography' else f(name, *more)"
