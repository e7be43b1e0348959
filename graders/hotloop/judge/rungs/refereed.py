"""Rung: the candidate's answers agree with what a function of ours gives for the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.compare import Floats
from hotloop.judge.fault import made
from hotloop.judge.record import RungRecord
from hotloop.judge.referee import Referee
from hotloop.judge.rungs.correct import Case, ask, ruling_about
from hotloop.judge.verdict import Ruling, Verdict


@dataclass(frozen=True)
class Refereed:
    """As `Correct`, for what numpy cannot recompute.

    function: the referee's. disagreement: of a case, the candidate's answer and the referee's; a
        sentence's beginning, or None.
    """

    cases: Callable[[np.random.Generator], Iterable[Case]]
    referee: Referee
    function: str
    disagreement: Callable[[Case, Floats, Floats], str | None]
    needs: tuple[str, ...] = ()
    case_timeout_s: float = 60.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Ask both for every case; the first wrong one rules."""
        link = bench.worker(candidate)
        passed = 0
        for case in made(self.cases(bench.seeds.generator())):
            with ruling_about(case):
                got = ask(case, candidate, link, bench, bench.patience(self.case_timeout_s))
                self._require_agreement(case, got, bench)
            passed += 1
        sentence = f"Right on all {passed} hidden cases."
        return RungRecord(name, Verdict.PASSED, sentence, 1.0, evidence={"cases": passed})

    def _require_agreement(self, case: Case, got: Floats, bench: Bench) -> None:
        found = self.disagreement(case, got, self.referee.answer(self.function, case, bench))
        if found is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"{found}.")
