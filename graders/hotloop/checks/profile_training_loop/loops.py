"""What a training loop is compared with, and the runs that are timed.

A take-home's variant changes three things in the candidate's loop: the byte around a shifted image,
the class that a label stands for, and the unit of the rate. The referee is called with what they
amount to in the plain loop. The baseline is the plain loop, which costs the same.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace

from hotloop.checks.profile_training_loop.given_files import NETWORK_FILE, PROGRAMS
from hotloop.checks.profile_training_loop.network import RESNET50, SMALL, Network, pace
from hotloop.checks.profile_training_loop.pictures import CLASSES, border
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constant
from hotloop.judge.gpu.card import Card
from hotloop.judge.referee import Referee
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.session import Session
from hotloop.judge.window import Workload

LABELS, RATE = 1, 3
"""Positions among the arguments of `train`; those of `accuracy` have the labels there too."""

CPU_RUN = (SMALL, 96, 4, 32)
GPU_RUN = (RESNET50, 512, 2, 256)
"""Network, images, steps and images a step of a timed call."""


def plainly(function: str, case: Case) -> Case:
    """The arguments of the referee's `function` for a case of the candidate's."""
    arguments = list(case.arguments)
    labels = arguments[LABELS]
    assert isinstance(labels, Tensor)
    classes = (constant("TIMES", 1) * labels.values + constant("PLUS", 0)) % CLASSES
    arguments[LABELS] = replace(labels, values=classes)
    if function == "train":
        rate = arguments[RATE]
        assert isinstance(rate, float)
        arguments[RATE] = rate * pace()
        arguments.append(border())
    return replace(case, arguments=tuple(arguments))


class LoopReferee(Referee):
    """Trains as the candidate's loop has to."""

    def answer(self, function: str, case: Case, session: Session) -> Floats:
        """On the CPU."""
        return super().answer(function, plainly(function, case), session)

    @contextmanager
    def on_gpu(
        self, function: str, session: Session, card: Card
    ) -> Generator[Callable[[Case], Floats]]:
        """On the GPU."""
        with super().on_gpu(function, session, card) as answer:
            yield lambda case: answer(plainly(function, case))


REFEREE = LoopReferee({"referee.py": PROGRAMS / "referee.py", **NETWORK_FILE}, "referee.py")


def timed(network: Network, images: int, steps: int, batch: int) -> Workload:
    """Runs of that size. The referee says what is right."""
    return Workload(lambda _rng, _index: network.call(images, steps, batch), network.fill)
