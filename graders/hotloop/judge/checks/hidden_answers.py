"""Correct answers to questions that a trusted program generates with their answers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import OF_DATA, Kind
from hotloop.judge.checks.answers import Answers
from hotloop.judge.questions import Question
from hotloop.judge.session import Session


@dataclass(frozen=True)
class HiddenAnswers(Check):
    """As `Answers`, for questions that only a sandboxed program can generate.

    questions: as in `Answers`, and may ask programs of the session.
    shares: whether wrong answers cost only their own share of the points.
    """

    fits: ClassVar[frozenset[Kind]] = OF_DATA
    questions: Callable[[np.random.Generator, Session], Iterable[Question]]
    timeout_s: float = 60.0
    shares: bool = False

    def __call__(self, session: Session) -> str:
        """Ask the questions, as `Answers` does."""
        check = Answers(
            lambda rng: self.questions(rng, session), self.timeout_s, shares=self.shares
        )
        return check(session)
