"""What a candidate's loop means otherwise: the border of images, classes, and the rate's unit.

The truth takes it from here. The loop that is timed against keeps the plain meaning: the others
cost the same.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from hotloop.checks.profile_training_loop.pictures import CLASSES
from hotloop.judge.calls import CallSpec
from hotloop.judge.compare import Floats
from hotloop.judge.gpu.card import Card
from hotloop.judge.referee import Referee
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.rungs.learns import Exam
from hotloop.judge.session import Session
from hotloop.variants.variant import Variant

Rng = np.random.Generator

LABELS, RATE = 1, 3
"""Places among the arguments of `train`; `accuracy` has its labels in the same one."""


@dataclass(frozen=True)
class Meaning:
    """border: the byte around an image which was shifted. times, plus: class c counts as
    (times * c + plus) mod 10. pace: how many times the rate that is told a step goes.
    """

    border: int = 0
    times: int = 1
    plus: int = 0
    pace: int = 1

    @classmethod
    def of(cls, variant: Variant | None) -> Meaning:
        """The variant's; the plain one without."""
        if variant is None or not variant.constants:
            return cls()
        values = variant.constants
        names = ("BORDER", "TIMES", "PLUS", "PACE")
        return cls(*(int(values[name]) for name in names))

    def told(self, case: Case) -> Case:
        """A training run as the candidate is given it: at the same pace in the end."""
        arguments = list(case.arguments)
        rate = arguments[RATE]
        assert isinstance(rate, float)
        arguments[RATE] = rate / self.pace
        return replace(case, arguments=tuple(arguments))

    def told_spec(self, spec: CallSpec) -> CallSpec:
        """The same for one without values."""
        arguments = list(spec.arguments)
        rate = arguments[RATE]
        assert isinstance(rate, float)
        arguments[RATE] = rate / self.pace
        return replace(spec, arguments=tuple(arguments))

    def told_exam(self, exam: Exam) -> Exam:
        """The same for a longer run."""
        return replace(exam, training=self.told(exam.training))

    def plainly(self, function: str, case: Case) -> Case:
        """What the referee is asked, who knows one meaning only but for the border."""
        arguments = list(case.arguments)
        labels = arguments[LABELS]
        assert isinstance(labels, Tensor)
        classes = (self.times * labels.values + self.plus) % CLASSES
        arguments[LABELS] = replace(labels, values=classes)
        if function == "train":
            rate = arguments[RATE]
            assert isinstance(rate, float)
            arguments[RATE] = rate * self.pace
            arguments.append(self.border)
        return replace(case, arguments=tuple(arguments))


@dataclass(frozen=True)
class MeantReferee(Referee):
    """A referee who is asked with a candidate's meaning."""

    meaning: Meaning = Meaning()

    def answer(self, function: str, case: Case, session: Session) -> Floats:
        """As the candidate should have understood it."""
        return super().answer(function, self.meaning.plainly(function, case), session)

    @contextmanager
    def on_gpu(
        self, function: str, session: Session, card: Card
    ) -> Generator[Callable[[Case], Floats]]:
        """The same on the GPU."""
        with super().on_gpu(function, session, card) as answer:
            yield lambda case: answer(self.meaning.plainly(function, case))


def told_all(
    meaning: Meaning, cases: Callable[[Rng], Iterable[Case]]
) -> Callable[[Rng], Iterable[Case]]:
    """Training runs as the candidate is given them."""
    return lambda rng: map(meaning.told, cases(rng))
