"""Paths of this module's judge programs and of the exercise files that learners also have."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths

PROGRAMS = Path(__file__).parent / "programs"
EXERCISE = paths.exercises() / "tvm_passes"


def ours(*names: str) -> dict[str, Path]:
    """Return the paths of the files `names` in PROGRAMS, keyed by name, as `Program` takes them."""
    return {name: PROGRAMS / name for name in names}
