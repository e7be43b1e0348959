"""The paths through the encoder: hidden messages for each path, and the right scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.program import Process
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.control_flow_export.given_files import TRUTH

Reference = Callable[[int, Case, Session], Floats]

QUEUES = 8
KINDS = {0: "both ways", 1: "causal", 2: "prefix"}
FULL_UP_TO, LONGEST = 32, 128
LENGTHS = 12
"""How many more lengths are tried if no message of the first one takes the path."""
MOST_ARITHMETIC = 1.25
NEAR = 1e-3
"""Relative to a call's largest score: float32 through three layers stays a hundred times below
it."""


@dataclass(frozen=True)
class EncoderPath:
    """One path through the encoder, for messages of one shape.

    late: it continues after the first layer.
    """

    kind: int
    n: int
    length: int
    late: bool

    @property
    def label(self) -> str:
        """A description for the learner."""
        size = "long" if self.length > FULL_UP_TO else "short"
        leaves = "all layers" if self.late else "one layer"
        return (
            f"{KINDS[self.kind]}, {size}, {leaves} ({self.n} message{'s' if self.n > 1 else ''} of "
            f"{self.length} token{'s' if self.length > 1 else ''})"
        )


def all_paths(rng: Rng) -> Iterator[EncoderPath]:
    """Yield each of the twelve paths once, in sampled sizes, and the edge sizes."""
    for kind in KINDS:
        for late in (False, True):
            for least, most in ((2, FULL_UP_TO), (FULL_UP_TO + 1, LONGEST)):
                n, length = int(rng.integers(1, 9)), int(rng.integers(least, most + 1))
                yield EncoderPath(kind, n, length, late)
    for length in (1, FULL_UP_TO, FULL_UP_TO + 1, LONGEST):
        yield EncoderPath(int(rng.integers(3)), 1, length, bool(rng.integers(2)))


def seed(rng: Rng) -> int:
    """Return a seed for one of the judge's programs."""
    return int(rng.integers(1 << 30))


def case_of(weights: int, way: EncoderPath, rng: Rng, session: Session) -> Case:
    """Return messages that take this path, as a call of the learner's model.

    If no message of this length takes it with these weights, which is rare, the length is another
    one, also short or long. Raises JudgeFault if no length works.
    """
    truth = TRUTH.trusted(session)
    least, most = (FULL_UP_TO + 1, LONGEST) if way.length > FULL_UP_TO else (2, FULL_UP_TO)
    for length in (way.length, *map(int, rng.integers(least, most + 1, LENGTHS))):
        near = replace(way, length=length)
        out = TensorSpec((near.n, near.length), I64)
        request = Case("messages", (weights, seed(rng), near.kind, near.late), out)
        tokens = truth.answer("messages", request)
        if (tokens >= 0).all():
            arguments = (InputTensor(tokens.astype(np.int64), I64), near.kind)
            return Case(near.label, arguments, TensorSpec((near.n, QUEUES), FP32))
    raise JudgeFault(f"no message goes the way “{way.label}” with these weights")


def truth_of(weights: int, case: Case, session: Session) -> Floats:
    """Return the source's scores, in float64."""
    return TRUTH.trusted(session).answer("run", with_weights(weights, case))


def scaled_truth_of(weights: int, case: Case, session: Session) -> Floats:
    """Return the scores that a scripted encoder must give; a take-home's variant scales them."""
    return constant("SCALE", 1, range(2, 61)) * truth_of(weights, case, session)


def with_weights(weights: int, case: Case) -> Case:
    """Return the case for a program that takes the weights' seed in each call."""
    return replace(case, arguments=(weights, *case.arguments))


def wrong_somewhere(
    weights: int, answer: Callable[[Case], Floats], session: Session, truth: Reference = truth_of
) -> str | None:
    """Return the first path or edge size where the answers differ from the truth, or None."""
    rng = session.rng()
    for way in all_paths(rng):
        case = case_of(weights, way, rng, session)
        mismatch = departs(answer(case), truth(weights, case, session))
        if mismatch is not None:
            return f"on the way “{case.label}” {mismatch}"
    return None


def departs(got: Floats, want: Floats) -> str | None:
    """Return what is wrong with scores as the start of a sentence, or None."""
    allowed = Tolerance(relative=0.0, absolute=NEAR * max(1.0, float(np.abs(want).max())))
    mismatch = compare(got, want, allowed)
    return None if mismatch is None else f"the scores are others: {mismatch.sentence()}"


def wasted(weights: int, runner: Process, session: Session) -> str | None:
    """Return a message if a message that exits early still pays for the other layers, or None."""
    rng = session.rng()
    for length in (24, 96):
        case = case_of(weights, EncoderPath(1, 4, length, late=False), rng, session)
        counted = replace(case, out=TensorSpec((1,), FP32))
        truth = TRUTH.trusted(session)
        want = float(truth.answer("arithmetic", with_weights(weights, counted))[0])
        got = float(runner.answer("arithmetic", counted)[0])
        if not want:
            raise JudgeFault("our own source computed no products")
        if got > MOST_ARITHMETIC * want:
            return (
                f"on the way “{case.label}” it computes {got / 1e6:.1f} million operations of "
                f"products, and the source {want / 1e6:.1f}: what is not needed is computed too"
            )
    return None
