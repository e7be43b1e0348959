"""A trained model is accurate on held-out data."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.checks.correct import Case, ask, ruling_about
from hotloop.judge.compare import Floats
from hotloop.judge.oracle import Oracle
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Exam:
    """training: a training run that is long enough to learn something.

    test: returns the case that measures the accuracy of given weights on held-out data.
    """

    training: Case
    test: Callable[[Floats], Case]


@dataclass(frozen=True)
class Learns(Check):
    """The trained weights must be about as accurate as those of the oracle's training.

    exam: generates the exam from a secret generator.
    train, accuracy: names of functions of the oracle; `accuracy` returns a share between 0 and 1.
    margin: how much lower the candidate's accuracy may be.
    """

    exam: Callable[[np.random.Generator], Exam]
    oracle: Oracle
    train: str
    accuracy: str
    margin: float
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    case_timeout_s: float = 120.0

    def __call__(self, session: Session) -> str:
        """Train with the candidate and with the oracle, and test both."""
        exam = self.exam(session.rng())
        worker = session.worker()
        with ruling_about(exam.training):
            timeout_s = session.timeout(self.case_timeout_s)
            got = ask(exam.training, worker, session, timeout_s)
            if not np.isfinite(got).all():
                raise Ruling(Verdict.WRONG_ANSWER, "Some of the trained weights are not numbers.")
        want = self.oracle.answer(self.train, exam.training, session)
        theirs, ours = (
            float(self.oracle.answer(self.accuracy, exam.test(weights), session)[0])
            for weights in (got, want)
        )
        session.note(accuracy=theirs, reference_accuracy=ours, margin=self.margin)
        sentence = f"Right on {theirs:.1%} of held-out images; our own training reaches {ours:.1%}."
        if theirs < ours - self.margin:
            raise Ruling(Verdict.WRONG_ANSWER, sentence)
        return sentence
