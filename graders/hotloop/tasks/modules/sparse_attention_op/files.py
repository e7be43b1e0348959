"""Candidates' ONNX files: read by one of the judge's programs and run by another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.checks.correct import Case
from hotloop.judge.compare import compare
from hotloop.judge.onnx.programs import Facts, onnx_program
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL
from hotloop.tasks.modules.sparse_attention_op import truth
from hotloop.tasks.modules.sparse_attention_op.patterns import (
    EMPTY,
    FULL,
    Sample,
    gates_at_zero,
    sampled,
    tolerance,
)
from hotloop.tasks.modules.sparse_attention_op.references import odd_length

Rng = np.random.Generator

PROGRAMS = Path(__file__).parent / "programs"
EXERCISE = paths.exercises() / "sparse_attention_op"
MODEL = "attention.onnx"
INPUTS, OUTPUT = ("q", "k", "v", "threshold"), "out"
DOMAIN, NAME = "hotloop.lab", "SparseAttention"
OPSETS = (18, 19, 20)
EXPORT_S = 240.0
UNNAMED = "?"
"""How the reader program says a free size without a name."""


@dataclass(frozen=True)
class Order:
    """What this session requires of a file. opset: 0 if the candidate chooses it."""

    opset: int
    heads: int
    depth: int
    block: int
    causal: bool

    @classmethod
    def sampled(cls, rng: Rng, *, opset: bool) -> Order:
        """Sample an order."""
        return cls(
            int(rng.choice(OPSETS)) if opset else 0,
            int(rng.integers(2, 5)),
            int(rng.choice([16, 32])),
            int(rng.choice([8, 16])),
            bool(rng.integers(2)),
        )

    def arguments(self) -> tuple[int | bool, ...]:
        """Return it as arguments of the learner's function."""
        opset = (self.opset,) if self.opset else ()
        return (*opset, self.heads, self.depth, self.block, self.causal)

    @property
    def words(self) -> str:
        """The order in words for the learner."""
        kind = "causal" if self.causal else "not causal"
        opset = f"opset {self.opset}, " if self.opset else ""
        return f"{opset}{self.heads} heads of {self.depth}, blocks of {self.block}, {kind}"


def export(entry: str | None = None, *, opset: bool = False) -> OrderedFile[Order]:
    """Return the file that the learner's function writes, made once for all checks of the task.

    entry: that function; None for the task's own. opset: order one.
    """
    return OrderedFile(
        MODEL,
        lambda session: Order.sampled(session.rng(), opset=opset),
        Order.arguments,
        lambda order: order.words[:1].upper() + order.words[1:],
        entry,
        EXPORT_S,
    )


def program(*names: str, exercise: Sequence[str] = (), believed: str = "") -> Program:
    """Return a Program of these files of PROGRAMS, of which the first is its main file.

    exercise: files of the learners' folder.
    """
    return Program(_files(names, exercise), names[0], believed=believed)


def submitted(session: Session) -> GivenFile:
    """Return the candidate's file."""
    name = session.candidate.file or ""
    return GivenFile(name, session.files.content(name))


def number(answer: object) -> int:
    """Return the number that a program answers. Raises Ruling if it is none."""
    if isinstance(answer, int):
        return answer
    raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)


def onnx_files(*names: str, exercise: Sequence[str] = ()) -> Program:
    """Return a Program of files of PROGRAMS beside the judge's for ONNX; the first is main.

    exercise: files of the learners' folder.
    """
    return onnx_program(names[0], _files(names, exercise))


def _files(names: Sequence[str], exercise: Sequence[str]) -> dict[str, Path]:
    theirs = {Path(name).name: EXERCISE / name for name in exercise}
    return {**{name: PROGRAMS / name for name in names}, **theirs}


RUNNER = onnx_files("onnx_runner.py", "lab_function.py")


def whole(facts: Facts) -> str | None:
    """Return a message if the file breaks what every file must satisfy, else None."""
    if facts["external"]:
        return "its constants lie in another file: write all of it to one"
    if facts["checker"] is not None:
        return f"onnx.checker does not accept it: {shown(facts['checker'])}"
    return None


def wrong_ends(facts: Facts, order: Order) -> str | None:
    """Return a message about wrong names, types or shapes of inputs and outputs, or None."""
    tensor = [order.heads, order.depth]
    names = [as_list(end)[0] for end in facts["inputs"]]
    if names != list(INPUTS):
        return f"its inputs are {shown(names)} and should be {shown(list(INPUTS))}"
    if [as_list(end)[0] for end in facts["outputs"]] != [OUTPUT]:
        return f"its one output should be called {OUTPUT!r}"
    for name, element, dims in map(as_list, [*facts["inputs"][:3], *facts["outputs"]]):
        dims = as_list(dims)
        if element != "FLOAT":
            return f"{name} has the type {shown(element)} and should have FLOAT"
        if len(dims) != 4 or [dims[1], dims[3]] != tensor:
            return f"{name} has the shape {shown(dims)}; [batch, heads, length, depth] is required"
        if isinstance(dims[0], int) or isinstance(dims[2], int) or dims[0] == dims[2] != UNNAMED:
            return f"{name} has the shape {shown(dims)}: batch and length should be free, each"
    return None


def load(file: GivenFile, session: Session, how: str = "load", *more: int) -> Process:
    """Return the runner process with the file loaded.

    Raises Ruling if ONNX Runtime rejects the file.
    """
    process = RUNNER.given(session, "runs")
    process.ask(how, file, *more)
    return process


def wrong_numbers(process: Process, order: Order, session: Session) -> str | None:
    """Return a message about the first case whose output differs from the paper's, or None."""
    for label, sample in _inputs(session.rng(), order):
        case = Case(label, sample.tensors(), sample.case(label).out)
        want = truth.attention(
            sample.q, sample.k, sample.v, sample.threshold, sample.block, sample.causal
        )
        wrong = compare(process.answer("run", case), want, tolerance(case))
        if wrong is not None:
            return f"{label}: {wrong.sentence()}"
    return None


def _inputs(rng: Rng, order: Order) -> Iterator[tuple[str, Sample]]:
    block, heads = order.block, order.heads

    def one(batch: int, length: int, fixed: Sequence[float | None] = ()) -> Sample:
        shape = (batch, heads, length, order.depth)
        return sampled(rng, shape, block, causal=order.causal, fixed=tuple(fixed))

    yield "a length that the block divides", one(2, block * int(rng.integers(4, 8)))
    yield "a last block that is shorter", one(3, odd_length(rng, block, int(rng.integers(5, 9))))
    mixed = [FULL, EMPTY, *[None] * (heads - 2)]
    yield "a head that keeps everything and one that keeps nothing", one(1, 5 * block - 1, mixed)
    equal = gates_at_zero(rng, 2, heads, order.depth, block, causal=order.causal)
    yield "gates that are equal to the threshold", equal
    yield "one token", one(1, 1, [FULL, EMPTY, *[FULL] * (heads - 2)])
    yield "less than a block", one(2, block - 1, [FULL, EMPTY, *[FULL] * (heads - 2)])
