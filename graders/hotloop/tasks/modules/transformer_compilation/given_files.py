"""Files that the programs of module transformer_compilation can read."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session

PROGRAMS = Path(__file__).parent / "programs"
EXERCISE = paths.exercises() / "transformer_compilation"
"""The folder of files that the learner's file may import."""


def submitted(session: Session) -> GivenFile:
    """Return the candidate's file."""
    return GivenFile(session.candidate.file or "", session.source().encode())
