"""Reads a challenge of LeetGPU: a folder with `challenge.py`, and `core/` of its set.

    challenges/easy/1_vector_add

Source: https://github.com/AlphaGPU/leetgpu-challenges, README.
"""

import json
import shutil
from pathlib import Path

from hotloop.core.user_error import UserError

PROBLEM, BASE, TESTS = "challenge.py", "challenge_base.py", "hotloop_tests.json"
_OWN = """
import sys, types
core = types.ModuleType("core.challenge_base")
exec({base!r}, core.__dict__)
sys.modules |= {{"core": types.ModuleType("core"), "core.challenge_base": core}}
challenge = types.ModuleType("challenge")
exec({text!r}, challenge.__dict__)

def solve(*arguments):
    made = challenge.Challenge(device="cuda")
    made.reference_impl(**dict(zip(made.get_solve_signature(), arguments)))
"""
MOST = 14
"""Most functional tests that are judged; few challenges have more."""


def matches(path: Path) -> bool:
    """Return whether a path is such a folder."""
    return (path / PROBLEM).is_file()


def title(path: Path) -> str:
    """Return its name in reports."""
    return path.name


def copy(path: Path, target: Path) -> None:
    """Copy the challenge and the base class of its set. Raises UserError if there is none."""
    shutil.copyfile(path / PROBLEM, target / PROBLEM)
    shutil.copyfile(_base(path), target / BASE)
    (target / TESTS).write_text(json.dumps([*range(MOST)]))


def own_code(path: Path) -> str:
    """Return the challenge's own code as a submission."""
    files = {"base": _base(path), "text": path / PROBLEM}
    return _OWN.format(**{name: file.read_text("utf-8") for name, file in files.items()})


def _base(path: Path) -> Path:
    base = path.resolve().parents[1] / "core" / BASE
    if not base.is_file():
        raise UserError(f"{path} is not inside of its set: expected {base}.")
    return base
