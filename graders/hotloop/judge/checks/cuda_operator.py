"""An operator's answers are correct, or refused by an exception."""

from dataclasses import dataclass, field
from typing import ClassVar

from hotloop.core.verdict import Raised
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import CALLED_WITH_TENSORS, Kind
from hotloop.judge.checks.correct import Case, Truth, ask, ruling_about
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection


@dataclass(frozen=True)
class CorrectOrRaises(Check):
    """Every case must end in a correct answer or an exception, never in a wrong answer.

    For cases that the operator may reject but must not compute incorrectly. Another check must show
    that the function works, since a function that always raises passes here.
    """

    fits: ClassVar[frozenset[Kind]] = CALLED_WITH_TENSORS
    truth: Truth
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    case_timeout_s: float = 60.0

    def __call__(self, session: Session) -> str:
        """Run every case; raise Ruling at the first wrong answer."""
        worker = session.worker()
        right, cases = 0, 0
        for case in self.truth.cases(session.rng()):
            with ruling_about(case):
                right += self._is_right(case, worker, session)
            cases += 1
        sentence = f"Right on {right} of {cases} hidden cases, and an error on the others."
        if right == cases:
            sentence = f"Right on all {cases} hidden cases."
        if right == 0:
            sentence = f"Refused with an error in all {cases} hidden cases, as it may."
        session.note(cases=cases, right=right)
        return sentence

    def _is_right(self, case: Case, worker: WorkerConnection, session: Session) -> bool:
        """Return True for a correct answer, False if the function raised an exception."""
        require = self.truth.require(case)
        timeout_s = session.timeout(self.case_timeout_s)
        try:
            answer = ask(case, worker, session, timeout_s)
        except Raised:
            worker.request({"op": "unmap"}, timeout_s)
            return False
        require(answer)
        return True
