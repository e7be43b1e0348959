"""The files that the candidate's function writes are correct."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import OF_DATA, Kind
from hotloop.judge.case_label import labeled
from hotloop.judge.session import Session
from hotloop.judge.written_files import TIMEOUT_S, Assignment, file_written


@dataclass(frozen=True)
class WritesFiles(Check):
    """Every file must pass the check of its assignment.

    assignments: generated from a secret generator, anew for each judging; hidden inputs and
        expected results may come from a `Program`.
    """

    fits: ClassVar[frozenset[Kind]] = OF_DATA
    assignments: Callable[[np.random.Generator, Session], Iterable[Assignment]]
    timeout_s: float = TIMEOUT_S

    def __call__(self, session: Session) -> str:
        """Request every file; raise Ruling at the first wrong one."""
        count = 0
        for assignment in self.assignments(session.rng(), session):
            session.progress(assignment.label)
            with labeled(assignment.label):
                data = file_written(assignment, session, self.timeout_s)
                mismatch = assignment.mismatch(data)
            if mismatch is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"{assignment.label}: {mismatch}.")
            count += 1
        session.note(files=count)
        return f"Right on all {count} hidden inputs." if count > 1 else "It is what was asked for."
