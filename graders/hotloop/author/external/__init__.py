"""Judges problems of public sets, such as KernelBench, from the user's clone."""

from pathlib import Path
from typing import Literal

PROGRAMS = Path(__file__).parent / "programs"
"""Files that run beside a problem, or beside a submission, in a sandboxed process."""

SUBMISSION = "submission.py"
"""File name of a submission in its working directory."""

TIMED = "hotloop_baseline.py"
"""The program in `PROGRAMS` with the baselines that a submission is timed against."""

Who = Literal["eager", "problem"]
"""Who decides what is right: see `checks.Agrees`."""
