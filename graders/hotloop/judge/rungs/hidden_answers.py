"""Rung: right answers to questions that a program of ours makes, with the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.questions import Question
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.answers import Answers


@dataclass(frozen=True)
class HiddenAnswers:
    """As `Answers`, for questions that take a sandboxed program to make.

    entry: the function that is asked, if not the task's own.
    """

    questions: Callable[[np.random.Generator, Bench], Iterable[Question]]
    entry: str | None = None
    needs: tuple[str, ...] = ()
    timeout_s: float = 60.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Ask all of them; the first wrong answer rules."""
        asked = candidate if self.entry is None else replace(candidate, name=self.entry)
        rung = Answers(lambda rng: self.questions(rng, bench), self.needs, self.timeout_s)
        return rung.judge(name, asked, bench)
