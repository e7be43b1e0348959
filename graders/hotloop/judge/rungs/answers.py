"""Rung: correct plain-data answers to hidden questions."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.authored import Check
from hotloop.judge.labelled import labelled
from hotloop.judge.questions import Question, ask_plainly
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Answers(Check):
    """Every question must be answered correctly.

    questions: generates the questions from a secret generator, anew for each judging.
    entry: the function to ask, in the same file or notebook; by default the task's entry.
    timeout_s: seconds for each question.
    """

    questions: Callable[[np.random.Generator], Iterable[Question]]
    entry: str | None = None
    after: tuple[str, ...] = ()
    timeout_s: float = 60.0

    def __call__(self, session: Session) -> str:
        """Ask every question; raise Ruling(WRONG_ANSWER) at the first wrong answer."""
        if self.entry is not None:
            session = session.of(self.entry)
        session.worker()
        count = 0
        for question in self.questions(session.rng()):
            # Making the question may have called another function of the candidate.
            worker = session.worker()
            with labelled(question.label, question):
                answer = ask_plainly(worker, question.arguments, session.timeout(self.timeout_s))
                mismatch = question.mismatch(answer)
                if mismatch is not None:
                    raise Ruling(Verdict.WRONG_ANSWER, f"{mismatch}.")
            count += 1
        session.note(questions=count)
        return f"Right on all {count} hidden questions." if count > 1 else "All of it is right."
