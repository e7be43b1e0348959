"""Reductions read each element of a long row once, in blocks of columns.

The worker lists the operations of every judged call. The check has the lists of calls on a single
row of at least LONG_ROW elements repeated on other values by a process without the learner's code
(`hotloop.worker.torch_replay`), compares the answers, and reads what was counted there.
"""

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_message
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import Kind
from hotloop.judge.checks.correct import Case, ruling_about
from hotloop.judge.checks.recorded_calls import Noted, RecordedCalls
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.program import Process, Program
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable, reading
from hotloop.worker import __file__ as worker

LONG_ROW = 1 << 16
SLACK = 0.1
"""Allowed excess as a share of the row's elements, for blocks that overlap."""

REPLAY = Program({"torch_replay.py": Path(worker).parent / "torch_replay.py"}, "torch_replay.py")


@dataclass(frozen=True)
class OnePass(Check):
    """Reductions read each element of a long row once, in blocks of columns.

    widest: maximum number of a row's elements that one reduction may read.
    """

    fits: ClassVar[frozenset[Kind]] = frozenset({"return"})  # what is replayed returns
    calls: RecordedCalls
    widest: int = 4096
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)

    def __call__(self, session: Session) -> str:
        """Check every long row; raise Ruling at the first call that reads too much."""
        process = REPLAY.given(session, "repeats")
        figures = [
            self._require(each.case, self._repeated(each, process))
            for each in self.calls.calls(session)
            if each.case.out.shape[-1:] == (_elements(each.case),)
            and _elements(each.case) >= LONG_ROW
        ]
        if not figures:
            raise JudgeFault(f"no case has one row of at least {LONG_ROW} elements")
        widest, passes = max(f[0] for f in figures), max(f[1] for f in figures)
        session.note(widest=widest, passes=round(passes, 4))
        return (
            f"Reductions read each element of a long row {passes:.2f} times, "
            f"at most {widest} at once."
        )

    def _repeated(self, noted: Noted, process: Process) -> Message:
        """Return what was counted when the call's operations were repeated on other values.

        Raises Ruling if they do not give the right answer there.
        """
        with reading():
            steps, left = str(noted.note["steps"]), readable(noted.note["exit"], 40)
        with ruling_about(noted.case):
            why = _NOT_FOLLOWED.format(f"`{left}`") if left else _NOT_ALL
            if not steps:
                _wrong(why)
            require = self.calls.correct.truth.require(noted.fresh)
            repetition = replace(noted.fresh, arguments=(*noted.fresh.arguments, steps))
            answer = process.answer("repeated", repetition)
            try:
                require(answer)
            except Ruling as ruling:
                raise Ruling(Verdict.WRONG_ANSWER, f"{why}. {ruling.sentence}") from None
        return as_message(process.ask("note")) or {}

    def _require(self, case: Case, note: Message) -> tuple[int, float]:
        """Return widest reduction and number of passes. Raises Ruling unless both are allowed."""
        elements = _elements(case)
        with reading():
            widest, reduced = int(note["widest"]), int(note["reduced"])
            by, unfollowed = readable(note["widest_by"], 40), readable(note["unfollowed"], 40)
        passes = reduced / elements
        with ruling_about(case):
            if unfollowed:
                _wrong(_NOT_FOLLOWED.format(f"`{unfollowed}`"))
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


_NOT_FOLLOWED = "{} takes values out of PyTorch, where they cannot be followed"
_NOT_ALL = (
    "your function's answer was right, but its operations of PyTorch, repeated on other numbers, "
    "give none or a wrong one: compute with tensors and PyTorch's operations, uncompiled, in this "
    "thread"
)


def _elements(case: Case) -> int:
    return math.prod(case.out.shape)


def _wrong(sentence: str) -> None:
    raise Ruling(Verdict.WRONG_ANSWER, f"{sentence}.")
