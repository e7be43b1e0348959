"""Rungs for an operator: its file holds several functions, each of which another rung asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate, Rung, Style
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.fault import made
from hotloop.judge.levels import Level
from hotloop.judge.link import Link
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.correct import Case, ask, require_agreement, ruling_about
from hotloop.judge.rungs.refuses import RAISED
from hotloop.judge.verdict import Ruling, Verdict


@dataclass(frozen=True)
class Called:
    """A rung that judges another function of the candidate's file, called `name`."""

    name: str
    rung: Rung
    style: Style = "return"

    @property
    def needs(self) -> tuple[str, ...]:
        """Those of the rung."""
        return self.rung.needs

    @property
    def levels(self) -> tuple[Level, ...]:
        """Those of the rung, where it measures speed."""
        return getattr(self.rung, "levels", ())

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """As the rung does."""
        return self.rung.judge(name, replace(candidate, name=self.name, style=self.style), bench)


@dataclass(frozen=True)
class RightOrRefused:
    """Every case ends in the right answer or in an exception, never in a wrong answer.

    For what need not be possible, and must not go wrong in silence. It needs a rung that shows
    that the function's own work is right: one that refuses everything passes here.
    """

    cases: Callable[[np.random.Generator], Iterable[Case]]
    reference: Callable[..., Floats]
    tolerance: Callable[[Case], Tolerance]
    needs: tuple[str, ...] = ("correct",)
    case_timeout_s: float = 60.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Ask for every case; the first wrong one rules."""
        link = bench.worker(candidate)
        right, cases = 0, 0
        for case in made(self.cases(bench.seeds.generator())):
            with ruling_about(case):
                right += self._is_right(case, candidate, link, bench)
            cases += 1
        said = f"Right on {right} of {cases} hidden cases, and an error on the others."
        if right == cases:
            said = f"Right on all {cases} hidden cases."
        if right == 0:
            said = f"Refused with an error in all {cases} hidden cases, as it may."
        evidence = {"cases": cases, "right": right}
        return RungRecord(name, Verdict.PASSED, said, 1.0, evidence=evidence)

    def _is_right(self, case: Case, candidate: Candidate, link: Link, bench: Bench) -> bool:
        """False when it raised an exception."""
        patience = bench.patience(self.case_timeout_s)
        try:
            answer = ask(case, candidate, link, bench, patience)
        except Ruling as ruling:
            if ruling.verdict is Verdict.RUNTIME_ERROR and ruling.sentence.startswith(RAISED):
                link.request({"op": "unmap"}, patience)
                return False
            raise
        require_agreement(case, answer, self.reference, self.tolerance(case))
        return True
