"""Rung: the candidate's answers agree with a trusted function's answers for the same inputs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.compare import Floats
from hotloop.judge.fault import made
from hotloop.judge.oracle import Oracle
from hotloop.judge.rungs.correct import Case, ask, ruling_about
from hotloop.judge.session import Session


@dataclass(frozen=True)
class OracleCorrect:
    """As `Correct`, for computations that numpy cannot repeat.

    function: name of the oracle's function.
    disagreement: compares the candidate's answer to a case with the oracle's; returns the
        beginning of a sentence, or None if they agree.
    """

    cases: Callable[[np.random.Generator], Iterable[Case]]
    oracle: Oracle
    function: str
    disagreement: Callable[[Case, Floats, Floats], str | None]
    after: tuple[str, ...] = ()
    case_timeout_s: float = 60.0

    def __call__(self, session: Session) -> str:
        """Run every case on both; raise Ruling at the first disagreement."""
        worker = session.worker()
        passed = 0
        for case in made(self.cases(session.rng())):
            with ruling_about(case):
                got = ask(case, worker, session, session.timeout(self.case_timeout_s))
                self._require_agreement(case, got, session)
            passed += 1
        session.note(cases=passed)
        return f"Right on all {passed} hidden cases."

    def _require_agreement(self, case: Case, got: Floats, session: Session) -> None:
        found = self.disagreement(case, got, self.oracle.answer(self.function, case, session))
        if found is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"{found}.")
