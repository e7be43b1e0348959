"""The answers are correct, in calls that the worker records for another check.

Every judged call is recorded, so that a function cannot tell which calls are inspected. What was
recorded is the candidate's word: the other check repeats it on other values of the same shapes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import OF_TENSORS, Kind
from hotloop.judge.checks.correct import Case, Correct, call, ruling_about
from hotloop.judge.judge_fault import ours
from hotloop.judge.same_shapes import in_the_order_of, same_shapes
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL


@dataclass(frozen=True)
class Noted:
    """A call whose answer was right, and what the candidate's process noted about it.

    fresh: the same case with values that the candidate has not seen, in the same order.
    """

    case: Case
    note: Message
    fresh: Case


@dataclass(frozen=True)
class RecordedCalls(Check):
    """As `Correct`, with the worker's notes of each call, which another check inspects.

    correct: the calls and what is right. watch: what is noted, "operations" of PyTorch or
        "launches" of Triton kernels.
    """

    fits: ClassVar[frozenset[Kind]] = OF_TENSORS
    correct: Correct
    watch: str

    def __call__(self, session: Session) -> str:
        """Run every case; raise Ruling at the first wrong answer."""
        passed = len(self.calls(session))
        session.note(cases=passed)
        return f"Right on all {passed} hidden cases."

    def calls(self, session: Session) -> Sequence[Noted]:
        """Return the calls with the worker's notes, made once. Raises Ruling at a wrong answer."""
        key = f"calls of {session.candidate.name}"
        return session.once(key, lambda: self._calls(session))

    def _calls(self, session: Session) -> list[Noted]:
        rngs = same_shapes(session.seeds)
        others = iter(self.correct.truth.cases(rngs()))
        noted: list[Noted] = []
        for case in self.correct.truth.cases(rngs()):
            note = self._call(case, session)
            with ours("making the case again"):
                fresh = in_the_order_of(case, next(others), session.rng())
            noted.append(Noted(case, note, fresh))
        return noted

    def _call(self, case: Case, session: Session) -> Message:
        with ruling_about(case):
            correct = self.correct
            seconds = correct.case_timeout_s or correct.on.case_timeout_s
            worker, timeout_s = session.worker(), session.timeout(seconds)
            require = correct.truth.require(case)
            answer, reply = call(case, worker, session, timeout_s, watch=self.watch)
            require(answer)
        notes = [as_message(note) for note in as_list(reply.get("watched"))]
        if len(notes) != 1 or notes[0] is None:
            raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
        return notes[0]
