"""Rung: right answers to questions that a program of ours makes, with the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.questions import Question
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.answers import Answers


@dataclass(frozen=True)
class HiddenAnswers:
    """As `Answers`, for questions that take a sandboxed program to make."""

    questions: Callable[[np.random.Generator, Bench], Iterable[Question]]
    needs: tuple[str, ...] = ()
    timeout_s: float = 60.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Ask all of them; the first wrong answer rules."""
        asked = Answers(lambda rng: self.questions(rng, bench), self.needs, self.timeout_s)
        return asked.judge(name, candidate, bench)
