"""The module's given files, and the programs of ours that use them."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths
from hotloop.judge.program import Program

MODULE = "control_flow_export"
HARNESS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / MODULE


def program(main: str, *given: str, beside: tuple[str, ...] = ()) -> Program:
    """A program of the harness, with some of the files that learners are given."""
    files = {name: HARNESS / name for name in (main, *beside)}
    return Program({**files, **{name: GIVEN / name for name in given}}, main)


TRUTH = program("encoder_truth.py", "encoder.py")
READER = program("archive_reading.py")
RUNNER = program("model_runs.py")
