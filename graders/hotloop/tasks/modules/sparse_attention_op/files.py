"""Candidates' ONNX files: read by one of the judge's programs and run by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.artifact import Assignment, file_written
from hotloop.judge.compare import compare
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.rungs.assertions import Assertion, Assertions
from hotloop.judge.rungs.correct import Case
from hotloop.judge.session import Session
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
Facts = dict[str, Any]

PROGRAMS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / "sparse_attention_op"
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

    @property
    def words(self) -> str:
        """The order in words for the learner."""
        kind = "causal" if self.causal else "not causal"
        opset = f"opset {self.opset}, " if self.opset else ""
        return f"{opset}{self.heads} heads of {self.depth}, blocks of {self.block}, {kind}"


@dataclass(frozen=True)
class Exported:
    """An order and the file that the candidate made for it."""

    order: Order
    data: bytes

    @property
    def given(self) -> GivenFile:
        """The file as a GivenFile for the judge's programs."""
        return GivenFile(MODEL, self.data)


Mismatch = Callable[[Exported, Session], str | None]


@dataclass(frozen=True)
class Export:
    """The file that the learner's function writes, made once for all checks of the task.

    entry: that function; None for the task's own.
    """

    entry: str | None = None
    opset: bool = False

    def stands(self, mismatch: Mismatch, said: str, *after: str) -> Assertions:
        """Return the check that passes with message `said` if `mismatch` returns None."""
        return Assertions(partial(self._looks, mismatch=mismatch), said, after=after)

    def _looks(self, session: Session, mismatch: Mismatch) -> Iterator[Assertion]:
        order = session.once("order", lambda: self._order(session))

        def found() -> str | None:
            file = session.once("exported file", lambda: self._exported(order, session))
            return mismatch(file, session)

        yield Assertion(_first_up(order.words), found)

    def _order(self, session: Session) -> Order:
        return Order.sampled(session.rng(), opset=self.opset)

    def _exported(self, order: Order, session: Session) -> Exported:
        opset = (order.opset,) if self.opset else ()
        arguments = (*opset, order.heads, order.depth, order.block, order.causal)
        assignment = Assignment(order.words, arguments, MODEL, lambda _data: None)
        writer = session if self.entry is None else session.of(self.entry)
        return Exported(order, file_written(assignment, writer, EXPORT_S))


def program(*names: str, given: Sequence[str] = (), believed: str = "") -> Program:
    """Return a Program of these files of PROGRAMS, of which the first is its main file.

    given: files that learners are given too, in their folder.
    """
    ours = {name: PROGRAMS / name for name in names}
    theirs = {Path(name).name: GIVEN / name for name in given}
    return Program({**ours, **theirs}, names[0], believed=believed)


def submitted(session: Session) -> GivenFile:
    """Return the candidate's file."""
    name = session.candidate.file or ""
    return GivenFile(name, session.files.content(name))


READER = program("onnx_facts.py")
RUNNER = program("onnx_runner.py", "lab_function.py")


def facts_of(given: GivenFile, session: Session) -> Facts:
    """Return the facts that the reader program finds in the file.

    Raises Ruling if the reader gives no answer.
    """
    facts = as_message(READER.given(session, "reads").ask("facts", given))
    if facts is None:
        raise Ruling(Verdict.TAMPERED, "The file's reader gave no answer.")
    return facts


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


def load(given: GivenFile, session: Session, how: str = "load", *more: int) -> Process:
    """Return the runner process with the file loaded.

    Raises Ruling if ONNX Runtime rejects the file.
    """
    process = RUNNER.given(session, "runs")
    process.ask(how, given, *more)
    return process


def wrong_numbers(process: Process, order: Order, session: Session) -> str | None:
    """Return a message about the first case whose output differs from the paper's, or None."""
    for label, sample in _inputs(session.rng(), order):
        case = Case(label, sample.tensors(), sample.case(label).out)
        want = truth.attention(
            sample.q, sample.k, sample.v, sample.threshold, sample.block, sample.causal
        )
        found = compare(process.answer("run", case), want, tolerance(case))
        if found is not None:
            return f"{label}: {found.sentence()}"
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


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]
