"""The reference and baseline of a training loop, and the timed runs.

A take-home's variant changes three things in the candidate's loop: the byte around a shifted image,
the class that a label stands for, and the unit of the learning rate. The oracle gets the
equivalent arguments of the plain loop. The baseline is the plain loop, which costs the same.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace

from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constant
from hotloop.judge.gpu.card import Card
from hotloop.judge.oracle import Oracle
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.tasks.modules.profile_training_loop.given_files import NETWORK_FILE, PROGRAMS
from hotloop.tasks.modules.profile_training_loop.network import RESNET50, SMALL, Network, pace
from hotloop.tasks.modules.profile_training_loop.pictures import CLASSES, border

LABELS, RATE = 1, 3
"""Positions among the arguments of `train`; in `accuracy`, the labels have the same position."""

CPU_RUN = (SMALL, 96, 4, 32)
GPU_RUN = (RESNET50, 512, 2, 256)
"""Network, images, steps and images per step of a timed call."""


def plainly(function: str, case: Case) -> Case:
    """Return the oracle's equivalent of a candidate's case, for its `function`."""
    arguments = list(case.arguments)
    labels = arguments[LABELS]
    assert isinstance(labels, InputTensor)
    classes = (
        constant("TIMES", 1, range(3, 11, 2)) * labels.values + constant("PLUS", 0, range(1, 10))
    ) % CLASSES
    arguments[LABELS] = replace(labels, values=classes)
    if function == "train":
        rate = arguments[RATE]
        assert isinstance(rate, float)
        arguments[RATE] = rate * pace()
        arguments.append(border())
    return replace(case, arguments=tuple(arguments))


class LoopOracle(Oracle):
    """Trains the plain loop with arguments equivalent to the candidate's."""

    def answer(self, function: str, case: Case, session: Session) -> Floats:
        """Return the answer, computed on the CPU."""
        return super().answer(function, plainly(function, case), session)

    @contextmanager
    def on_gpu(
        self, function: str, session: Session, card: Card
    ) -> Generator[Callable[[Case], Floats]]:
        """Return a context manager whose function computes answers on the GPU."""
        with super().on_gpu(function, session, card) as answer:
            yield lambda case: answer(plainly(function, case))


ORACLE = LoopOracle({"oracle.py": PROGRAMS / "oracle.py", **NETWORK_FILE}, "oracle.py")


def timed(network: Network, images: int, steps: int, batch: int) -> Workload:
    """Return the workload of runs of that size. The oracle computes the right result."""
    return Workload(lambda _rng, _index: network.call(images, steps, batch), network.fill)
