"""Checks of a compiled service: right answers, few graphs, little padding.

Three processes take part. One runs the learner's service on numbers without a meaning, and records
PyTorch's operators and the graphs of TorchDynamo. Another one repeats the record on the hidden
requests, without the learner's code, and counts. The judge compares the results. So the counted
graphs are those that computed the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.calls import TensorSpec
from hotloop.judge.check import check
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32
from hotloop.judge.program import REPEATED, Process, Program
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable, reading
from hotloop.tasks.modules.transformer_compilation.given_files import EXERCISE, PROGRAMS, submitted

Rng = np.random.Generator

RECORDS = Program(
    {"serving_records.py": PROGRAMS / "serving_records.py", "served.py": EXERCISE / "served.py"},
    "serving_records.py",
    believed=REPEATED,
)
REPLAYS = Program({"serving_replays.py": PROGRAMS / "serving_replays.py"}, "serving_replays.py")

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
    missed: int
    """Requests of which some positions did not pass through a compiled graph."""
    outside: str
    """An operator that computed with weights or with a graph's result, in no graph; else ""."""


@check()
def right_answers(session: Session) -> str:
    """Compare the answer to every request of a stream with a float64 reference."""
    served(session)
    return f"Right for all {CALLS} hidden requests."


@check(after=("correct",))
def few_graphs(session: Session, most: int) -> str:
    """Require TorchDynamo to compile at most `most` graphs for a stream.

    Also requires every position to pass through a compiled graph.
    """
    result = served(session)
    if result.graphs > most:
        raise Ruling(
            Verdict.TOO_SLOW,
            f"{result.graphs} graphs were compiled for {CALLS} requests, {most} are "
            "allowed: which sizes and values have a guard?",
        )
    if result.outside:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"`{result.outside}` is computed beside what `compiled` has given: compute with "
            "weights in there only, and beside it move elements, or change each by itself.",
        )
    if result.missed:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{result.missed} of {CALLS} requests were not computed by what `compiled` has "
            "given, or not all of their positions were.",
        )
    session.note(graphs=result.graphs)
    graphs = "1 graph" if result.graphs == 1 else f"{result.graphs} graphs"
    return f"{graphs} for {CALLS} requests."


@check(after=("graphs",))
def little_padding(session: Session, most: float) -> str:
    """Require the computed positions to be at most `most` times the requested ones."""
    result = served(session)
    share = result.positions / result.real
    session.note(share=round(share, 3))
    sentence = f"It computes {share:.2f} times the positions that were requested"
    if share > most:
        raise Ruling(Verdict.TOO_SLOW, f"{sentence}; at most {most:g} times is allowed.")
    return f"{sentence}."


def served(session: Session) -> Served:
    """Serve a newly sampled stream, once. Raises Ruling at the first wrong answer."""
    return session.once("a stream", lambda: _served(session))


def _served(session: Session) -> Served:
    rng = session.rng()
    seed, width = int(rng.integers(1 << 31)), 4 * int(rng.integers(4, 9))
    recorder = RECORDS.given(session, "serves")
    replayer = REPLAYS.given(session, "repeats the service")
    steps = _text(recorder.ask("begin", submitted(session), session.name, width))
    replayer.ask("begin", seed, width, steps)
    weights = sampled_weights(seed, width)
    before, missed, real = 0, 0, 0
    for number, request in enumerate(stream(rng), start=1):
        sizes = (request.rows, request.length, width)
        arguments = (*sizes, request.temperature, request.strided)
        steps = _text(recorder.ask("answer", *arguments, timeout_s=CALL_S))
        _require_right(f"Request {number}", request, steps, weights, rng, replayer)
        positions, needed = _counts(replayer)[1], request.rows * request.length
        missed += positions - before < needed
        before, real = positions, real + needed
    graphs, positions, outside = _counts(replayer)
    return Served(graphs, positions, real, missed, outside)


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
    steps: str,
    weights: tuple[Floats, Floats],
    rng: Rng,
    process: Process,
) -> None:
    width = len(weights[1])
    # A mean of 1, so that padding with zeros would stand out.
    x = InputTensor(1.0 + rng.standard_normal((request.rows, request.length, width)), FP32)
    out = TensorSpec((request.rows, width), FP32)
    arguments = (x, request.strided, steps)
    got = process.answer("answer", Case(label, arguments, out), timeout_s=CALL_S)
    gain = constant("GAIN", 1, range(2, 401))
    want = gain * truth(weights, x.rounded(), request.temperature)
    wrong = compare(got, want, Tolerance(NEAR.relative, gain * NEAR.absolute))
    if wrong is not None:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{label}, {request.rows} rows of {request.length}: {wrong.sentence()}.",
        )


def _text(answer: object) -> str:
    if isinstance(answer, str):
        return answer
    raise Ruling(Verdict.TAMPERED, "The service's process does not keep to the protocol.")


def _counts(process: Process) -> tuple[int, int, str]:
    with reading():
        graphs, positions, outside = as_list(process.ask("counts"))
        return int(graphs), int(positions), readable(outside, 40)
