"""Checks of a compiled service: right answers, few graphs, little padding.

The service runs with TorchDynamo in a judge's process that also holds the learner's file, so what
is counted there is `instrumented`. The judge compares the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.checks.transformer_compilation.given_files import EXERCISE, PROGRAMS, submitted
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32
from hotloop.judge.program import Process, Program
from hotloop.judge.rung import rung
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.session import Session

Rng = np.random.Generator

PROGRAM = Program(
    {"serving_counts.py": PROGRAMS / "serving_counts.py", "served.py": EXERCISE / "served.py"},
    "serving_counts.py",
)

NEAR = Tolerance(1e-4, 1e-4)
"""For float32 means of numbers of about 1."""

CALLS = 30
MOST_ROWS, MOST_LENGTH = 12, 80
CALL_S = 30.0


@dataclass(frozen=True)
class Request:
    """A request. strided: its memory order differs from the order of its axes."""

    rows: int
    length: int
    temperature: float
    strided: bool


@dataclass(frozen=True)
class Served:
    """What a stream of requests showed."""

    graphs: int
    positions: int
    real: int
    outside: int
    """Requests of which some positions did not pass through a compiled graph."""


@rung(instrumented=True)
def right_answers(session: Session) -> str:
    """Compare the answer to every request of a stream with a float64 reference."""
    served(session)
    return f"Right for all {CALLS} hidden requests."


@rung(after=("correct",), instrumented=True)
def few_graphs(session: Session, most: int) -> str:
    """Require TorchDynamo to compile at most `most` graphs for a stream.

    Also requires every position to pass through a compiled graph.
    """
    found = served(session)
    if found.outside:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{found.outside} of {CALLS} requests were not computed by what `compiled` has "
            "given, or not all of their positions were.",
        )
    if found.graphs > most:
        raise Ruling(
            Verdict.TOO_SLOW,
            f"{found.graphs} graphs were compiled for {CALLS} requests, {most} are "
            "allowed: which sizes and values have a guard?",
        )
    session.note(graphs=found.graphs)
    graphs = "1 graph" if found.graphs == 1 else f"{found.graphs} graphs"
    return f"{graphs} for {CALLS} requests."


@rung(after=("graphs",), instrumented=True)
def little_padding(session: Session, most: float) -> str:
    """Require the computed positions to be at most `most` times the requested ones."""
    found = served(session)
    share = found.positions / found.real
    session.note(share=round(share, 3))
    sentence = f"It computes {share:.2f} times the positions that were requested"
    if share > most:
        raise Ruling(Verdict.TOO_SLOW, f"{sentence}; at most {most:g} times is allowed.")
    return f"{sentence}."


def served(session: Session) -> Served:
    """Serve a newly sampled stream. Raises Ruling at the first wrong answer."""
    rng = session.rng()
    seed, width = int(rng.integers(1 << 31)), 4 * int(rng.integers(4, 9))
    process = PROGRAM.given(session, "serves")
    process.ask("begin", submitted(session), session.name, seed, width)
    weights = sampled_weights(seed, width)
    before, outside, real = _counts(process), 0, 0
    for number, request in enumerate(stream(rng), start=1):
        _require_right(f"Request {number}", request, weights, rng, process)
        after, needed = _counts(process), request.rows * request.length
        outside += after[2] - before[2] < needed
        before, real = after, real + needed
    return Served(before[0], before[2], real, outside)


def stream(rng: Rng) -> Iterator[Request]:
    """Yield requests.

    In the first one, rows and length are equal, and later they are not. Sizes of 1 occur for both,
    and temperatures are floats or ints.
    """
    same = int(rng.integers(5, 10))
    yield Request(same, same, 0.7, strided=False)
    rest = [
        Request(
            int(rng.integers(2, MOST_ROWS + 1)),
            int(rng.integers(20, MOST_LENGTH + 1)),
            float(rng.choice([0.5, 0.8, 1.0, 1.3]))
            if rng.random() < 0.6
            else int(rng.integers(1, 4)),
            strided=bool(rng.random() < 0.3),
        )
        for _ in range(CALLS - 6)
    ]
    rest += [
        Request(1, int(rng.integers(20, 60)), 0.9, strided=False),
        Request(int(rng.integers(3, 9)), 1, 2, strided=True),
        Request(1, 1, 0.6, strided=False),
        Request(int(rng.integers(3, 9)), int(rng.integers(20, 60)), 1, strided=True),
        Request(1, int(rng.integers(20, 60)), 3, strided=False),
    ]
    for place in rng.permutation(len(rest)):
        yield rest[int(place)]


def sampled_weights(seed: int, width: int) -> tuple[Floats, Floats]:
    """Return the weights that the program samples, as float64."""
    rng = np.random.default_rng(seed)
    up = rng.standard_normal((width, width)).astype(np.float32).astype(np.float64)
    return up, rng.standard_normal(width).astype(np.float32).astype(np.float64)


def truth(weights: tuple[Floats, Floats], x: Floats, temperature: float) -> Floats:
    """Return the answer to a request, in float64."""
    scores = np.tanh(x @ weights[0]) @ weights[1] / temperature
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return (shares[:, :, None] * x).sum(axis=1)


def _require_right(
    label: str,
    request: Request,
    weights: tuple[Floats, Floats],
    rng: Rng,
    process: Process,
) -> None:
    width = len(weights[1])
    # A mean of 1, so that padding with zeros would stand out.
    x = Tensor(1.0 + rng.standard_normal((request.rows, request.length, width)), FP32)
    out = TensorSpec((request.rows, width), FP32)
    arguments = (x, request.temperature, request.strided)
    got = process.answer("answer", Case(label, arguments, out), timeout_s=CALL_S)
    gain = constant("GAIN", 1, range(2, 401))
    want = gain * truth(weights, x.rounded(), request.temperature)
    found = compare(got, want, Tolerance(NEAR.relative, gain * NEAR.absolute))
    if found is not None:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{label}, {request.rows} rows of {request.length}: {found.sentence()}.",
        )


def _counts(process: Process) -> list[int]:
    counts = as_list(process.ask("counts"))
    if len(counts) != 3 or not all(type(each) is int for each in counts):
        raise Ruling(Verdict.TAMPERED, "The service's process does not keep to the protocol.")
    return [int(str(each)) for each in counts]
