"""Rung: right answers, from another function of the learner's than the one the task is named by."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.judge.questions import Question
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.session import Session


@dataclass(frozen=True)
class AnswersFrom:
    """entry: the function that is asked, where the task's own lies."""

    entry: str
    questions: Callable[[np.random.Generator], Iterable[Question]]
    after: tuple[str, ...] = ()
    timeout_s: float = 60.0

    def __call__(self, session: Session) -> str:
        """As `Answers` does."""
        return Answers(self.questions, timeout_s=self.timeout_s)(session.of(self.entry))
