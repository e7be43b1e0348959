"""Rung: like `Answers`, for another function than the task's entry."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.judge.questions import Question
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.session import Session


@dataclass(frozen=True)
class AnswersFrom:
    """entry: name of the function to ask, in the same file or notebook as the task's entry."""

    entry: str
    questions: Callable[[np.random.Generator], Iterable[Question]]
    after: tuple[str, ...] = ()
    timeout_s: float = 60.0

    def __call__(self, session: Session) -> str:
        """Run `Answers` on the function `entry`."""
        return Answers(self.questions, timeout_s=self.timeout_s)(session.of(self.entry))
