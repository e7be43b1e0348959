"""Rung: what was trained knows something, on data of ours that no training has seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.compare import Floats
from hotloop.judge.record import RungRecord
from hotloop.judge.referee import Referee
from hotloop.judge.rungs.correct import Case, ask, ruling_about
from hotloop.judge.verdict import Ruling, Verdict


@dataclass(frozen=True)
class Exam:
    """training: a run that is long enough to learn something.

    test: makes the case that tells how often given weights are right on held-out data.
    """

    training: Case
    test: Callable[[Floats], Case]


@dataclass(frozen=True)
class Learns:
    """The weights that come back are about as often right as those of our own training.

    exam: from a secret generator. train, accuracy: functions of the referee; the second one gives a
        share between 0 and 1. margin: by how much the candidate's share may be lower.
    """

    exam: Callable[[np.random.Generator], Exam]
    referee: Referee
    train: str
    accuracy: str
    margin: float
    needs: tuple[str, ...] = ("correct",)
    case_timeout_s: float = 120.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Train twice, here and there, and test both."""
        exam = self.exam(bench.seeds.generator())
        link = bench.worker(candidate)
        with ruling_about(exam.training):
            timeout_s = bench.patience(self.case_timeout_s)
            got = ask(exam.training, candidate, link, bench, timeout_s)
            if not np.isfinite(got).all():
                raise Ruling(Verdict.WRONG_ANSWER, "Some of the trained weights are not numbers.")
        want = self.referee.answer(self.train, exam.training, bench)
        theirs, ours = (self._tested(exam, weights, bench) for weights in (got, want))
        evidence = {"accuracy": theirs, "reference_accuracy": ours, "margin": self.margin}
        said = f"Right on {theirs:.1%} of held-out images; our own training reaches {ours:.1%}"
        if theirs < ours - self.margin:
            return RungRecord(name, Verdict.WRONG_ANSWER, f"{said}.", evidence=evidence)
        return RungRecord(name, Verdict.PASSED, f"{said}.", 1.0, evidence=evidence)

    def _tested(self, exam: Exam, weights: Floats, bench: Bench) -> float:
        return float(self.referee.answer(self.accuracy, exam.test(weights), bench)[0])
