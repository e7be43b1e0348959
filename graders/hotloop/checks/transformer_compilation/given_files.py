"""Files that programs of module transformer_compilation see."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session

PROGRAMS = Path(__file__).parent / "programs"
EXERCISE = paths.exercises() / "transformer_compilation"
"""What the learner's file may import."""


def submitted(session: Session) -> GivenFile:
    """The candidate's file."""
    return GivenFile(session.candidate.file or "", session.source().encode())
