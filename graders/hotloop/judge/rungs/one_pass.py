"""Rung: reductions read each element of a long row once, in blocks of columns.

The worker counts in every judged call (`hotloop.worker.torch_operations`). The rung judges calls on
a single row of at least LONG_ROW elements. The learner's code runs in the counting process, so the
rung is `instrumented`.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message
from hotloop.judge.authored import Check
from hotloop.judge.fault import JudgeFault
from hotloop.judge.rungs.correct import Case, ruling_about
from hotloop.judge.rungs.watched import Watched
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable, reading

LONG_ROW = 1 << 16
SLACK = 0.1
"""Allowed excess as a share of the row's elements, for blocks that overlap."""


@dataclass(frozen=True)
class OnePass(Check):
    """widest: maximum number of a row's elements that one reduction may read."""

    calls: Watched
    widest: int = 4096
    after: tuple[str, ...] = ("correct",)
    instrumented: ClassVar[bool] = True

    def __call__(self, session: Session) -> str:
        """Check every long row; raise Ruling at the first call that reads too much."""
        figures = [
            self._require(case, note)
            for case, note in self.calls.calls(session)
            if case.out.shape[-1:] == (_elements(case),) and _elements(case) >= LONG_ROW
        ]
        if not figures:
            raise JudgeFault(f"no case has one row of at least {LONG_ROW} elements")
        widest, passes = max(f[0] for f in figures), max(f[1] for f in figures)
        session.note(widest=widest, passes=round(passes, 4))
        return (
            f"Reductions read each element of a long row {passes:.2f} times, "
            f"at most {widest} at once."
        )

    def _require(self, case: Case, note: Message) -> tuple[int, float]:
        """Return widest reduction and number of passes. Raises Ruling unless both are allowed."""
        elements = _elements(case)
        with reading():
            widest, reduced = int(note["widest"]), int(note["reduced"])
            by, left = readable(note["widest_by"], 40), readable(note["exit"], 40)
        passes = reduced / elements
        with ruling_about(case):
            if left:
                _wrong(f"`{left}` takes values out of PyTorch, where they cannot be followed")
            if widest > self.widest:
                _wrong(
                    f"`{by}` reads {widest} numbers of a row of {elements} at once, at most "
                    f"{self.widest} are allowed: reduce one block of columns after the other"
                )
            if passes > 1 + SLACK:
                _wrong(
                    f"reductions read the row {passes:.2f} times, once is allowed: update maximum "
                    "and sum in the same loop over the blocks"
                )
            if passes < 1 - SLACK:
                _wrong(
                    f"reductions of PyTorch read {reduced} of {elements} elements of the row: "
                    "compute maximum and sum with PyTorch's operations, uncompiled, in this thread"
                )
        return widest, passes


def _elements(case: Case) -> int:
    return math.prod(case.out.shape)


def _wrong(sentence: str) -> None:
    raise Ruling(Verdict.WRONG_ANSWER, f"{sentence}.")
