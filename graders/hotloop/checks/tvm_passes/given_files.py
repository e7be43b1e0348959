"""Where this module's programs are, and the files that learners have as well."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths

PROGRAMS = Path(__file__).parent / "programs"
EXERCISE = paths.exercises() / "tvm_passes"


def ours(*names: str) -> dict[str, Path]:
    """Files of PROGRAMS by name, for a `Program`."""
    return {name: PROGRAMS / name for name in names}
