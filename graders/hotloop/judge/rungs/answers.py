"""Rung: right answers, as plain data, to questions that the candidate has never seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.fault import made
from hotloop.judge.labelled import labelled
from hotloop.judge.questions import Question, ask_plainly
from hotloop.judge.record import RungRecord
from hotloop.judge.verdict import Ruling, Verdict


@dataclass(frozen=True)
class Answers:
    """Every question must be answered rightly.

    questions: makes them from a secret generator, anew for each judging.
    """

    questions: Callable[[np.random.Generator], Iterable[Question]]
    needs: tuple[str, ...] = ()
    timeout_s: float = 60.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Ask all of them; the first wrong answer rules."""
        bench.worker(candidate)
        count = 0
        for question in made(self.questions(bench.seeds.generator())):
            # To make the question, another function of the candidate's may have been called.
            link = bench.worker(candidate)
            answer = ask_plainly(link, question.arguments, bench.patience(self.timeout_s))
            with labelled(question.label):
                mismatch = question.complaint(answer)
            if mismatch is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"{question.label}: {mismatch}.")
            count += 1
        said = f"Right on all {count} hidden questions." if count > 1 else "All of it is right."
        return RungRecord(name, Verdict.PASSED, said, 1.0, evidence={"questions": count})
