"""Rungs for an operator whose file holds several functions, each judged by another rung."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.core.verdict import Raised
from hotloop.judge.authored import Check
from hotloop.judge.candidate import Style
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.rung import Rung
from hotloop.judge.rungs.correct import Case, agreement, ask, ruling_about
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import Worker


@dataclass(frozen=True)
class ForFunction(Check):
    """A rung that runs `rung` on another function of the candidate's file, called `name`."""

    name: str
    rung: Rung
    style: Style = "return"

    @property
    def runs(self) -> Rung:
        """The wrapped rung."""
        return self.rung

    def __call__(self, session: Session) -> str:
        """Run the wrapped rung on the function."""
        return self.rung(session.of(self.name, self.style))


@dataclass(frozen=True)
class CorrectOrRaises(Check):
    """Every case must end in a correct answer or an exception, never in a wrong answer.

    For cases that the operator may reject but must not compute incorrectly. Another rung must show
    that the function works, since a function that always raises passes here.
    """

    cases: Callable[[np.random.Generator], Iterable[Case]]
    reference: Callable[..., Floats]
    tolerance: Callable[[Case], Tolerance]
    after: tuple[str, ...] = ("correct",)
    case_timeout_s: float = 60.0

    def __call__(self, session: Session) -> str:
        """Run every case; raise Ruling at the first wrong answer."""
        worker = session.worker()
        right, cases = 0, 0
        for case in self.cases(session.rng()):
            with ruling_about(case):
                right += self._is_right(case, worker, session)
            cases += 1
        said = f"Right on {right} of {cases} hidden cases, and an error on the others."
        if right == cases:
            said = f"Right on all {cases} hidden cases."
        if right == 0:
            said = f"Refused with an error in all {cases} hidden cases, as it may."
        session.note(cases=cases, right=right)
        return said

    def _is_right(self, case: Case, worker: Worker, session: Session) -> bool:
        """Return True for a correct answer, False if the function raised an exception."""
        require = agreement(case, self.reference, self.tolerance)
        timeout_s = session.timeout(self.case_timeout_s)
        try:
            answer = ask(case, worker, session, timeout_s)
        except Raised:
            worker.request({"op": "unmap"}, timeout_s)
            return False
        require(answer)
        return True
