"""Rung: right answers, from another function of the learner's than the one the task is named by."""

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
class AnswersFrom:
    """entry: the function that is asked, where the task's own lies."""

    entry: str
    questions: Callable[[np.random.Generator], Iterable[Question]]
    needs: tuple[str, ...] = ()
    timeout_s: float = 60.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """As `Answers` does."""
        asked = replace(candidate, name=self.entry)
        return Answers(self.questions, self.needs, self.timeout_s).judge(name, asked, bench)
