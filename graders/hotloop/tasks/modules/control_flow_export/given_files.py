"""The module's given files, and the judge's programs that use them."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths
from hotloop.judge.program import Program

PROGRAMS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / "control_flow_export"


def program(main: str, *given: str, beside: tuple[str, ...] = ()) -> Program:
    """Return a judge's program with others beside it, and with files that learners are given."""
    files = {name: PROGRAMS / name for name in (main, *beside)}
    return Program({**files, **{name: GIVEN / name for name in given}}, main)


TRUTH = program("encoder_truth.py", "encoder.py")
READER = program("archive_reading.py")
RUNNER = program("model_runs.py")
