"""Model files, TorchScript or exported programs, and their checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.checks.assertions import Assertion, Assertions
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment, file_written
from hotloop.tasks.modules.control_flow_export.encoder_paths import (
    Reference,
    seed,
    wasted,
    wrong_somewhere,
)
from hotloop.tasks.modules.control_flow_export.given_files import READER, RUNNER, TRUTH

I64_NUMBER = 5
"""torch.int64's number in torch._export.serde.schema.ScalarType, used in an archive's JSON."""

MOST_MESSAGES = 64
MAKE_S = 120.0


@dataclass(frozen=True)
class Written:
    """The file that the learner's function wrote in this session. weights: its seed."""

    weights: int
    data: bytes


Mismatch = Callable[[Written, Session], str | None]
Runs = Callable[[Written, Session], Process]


@dataclass(frozen=True)
class ModelFile:
    """The file that a function of the learner's writes, once for all checks of the task.

    entry: that function, `entry(seed, path)`; None for the task's own.
    """

    name: str
    entry: str | None = None

    def stands(self, mismatch: Mismatch, sentence: str, *after: str) -> Assertions:
        """Return the check that passes with this sentence if `mismatch` returns None."""
        return Assertions(partial(self._assertions, mismatch=mismatch), sentence, after=after)

    def _assertions(self, session: Session, mismatch: Mismatch) -> Iterator[Assertion]:
        def outcome() -> str | None:
            file = session.once(f"file {self.name}", lambda: self._write(session))
            return mismatch(file, session)

        yield Assertion("Your model", outcome)

    def _write(self, session: Session) -> Written:
        weights = seed(session.rng())
        assignment = Assignment("Your model", (weights,), self.name, lambda _data: None)
        writer = session.of(self.entry, "json") if self.entry else session
        return Written(weights, file_written(assignment, writer, MAKE_S))


def scripted(file: Written, session: Session) -> Process:
    """Return a process that has loaded the TorchScript file."""
    process = RUNNER.given(session, "runs scripted")
    process.ask("load_scripted", GivenFile("model.pt", file.data))
    return process


def exported(file: Written, session: Session) -> Process:
    """Return a process that has loaded the clean copy of an exported program.

    Raises Ruling if the archive is unsound.
    """
    clean = session.once("clean copy", lambda: _clean(file, session))
    process = RUNNER.given(session, "runs exported")
    process.ask("load_exported", GivenFile("model.pt2", clean))
    return process


def facts_of(file: Written, session: Session, source: Program = TRUTH) -> Message:
    """Return the facts about an archive. source: program that makes a sample of its inputs.

    Raises Ruling if the reader gives no answer.
    """
    program = source.trusted(session)
    sample = GivenFile("sample.pt", program.take(program.ask("sample")))
    reader = READER.given(session, "reads")
    facts = as_message(reader.ask("facts", GivenFile("model.pt2", file.data), sample))
    if facts is None:
        raise Ruling(Verdict.TAMPERED, "The file's reader gave no answer.")
    return facts


def right_everywhere(runs: Runs, truth: Reference, file: Written, session: Session) -> str | None:
    """Return where the model's scores differ from the truth, or None."""
    runner = runs(file, session)
    return wrong_somewhere(file.weights, partial(runner.answer, "run"), session, truth)


def wastes_nothing(runs: Runs, file: Written, session: Session) -> str | None:
    """Return where an early exit saves no arithmetic, or None."""
    return wasted(file.weights, runs(file, session), session)


def dynamic(file: Written, session: Session) -> str | None:
    """Check that the archive is sound and takes both inputs with free sizes.

    Returns a message or None.
    """
    facts = facts_of(file, session)
    if facts["unsound"] is not None:
        return str(facts["unsound"])
    expected = [("tokens", 2), ("kind", 0)]
    inputs = as_list(facts["inputs"])
    if len(inputs) != len(expected):
        return f"it has {len(inputs)} inputs, and two are asked for: tokens and kind"
    for (name, dimensions), (dtype, sizes) in zip(expected, inputs, strict=True):
        if dtype != I64_NUMBER or len(sizes) != dimensions:
            return f"its input {name} is no int64 tensor of {dimensions} dimensions"
    ranges = as_message(facts["ranges"]) or {}
    for label, most, size in zip(("n", "length"), (MOST_MESSAGES, 128), inputs[0][1], strict=True):
        mismatch = _not_free(label, most, size, ranges)
        if mismatch is not None:
            return mismatch
    return None


def _not_free(label: str, most: int, size: Any, ranges: Message) -> str | None:
    if isinstance(size, int):
        return f"{label} is fixed at {size}"
    low, high = as_list(ranges.get(str(size))) or [None, None]
    if low is not None and low > 1:
        return f"{label} must be at least {low}, and one is asked for as well"
    if high is not None and high < most:
        return f"{label} may be at most {high}, and {most} is asked for as well"
    return None


def _clean(file: Written, session: Session) -> bytes:
    facts = facts_of(file, session)
    if facts["unsound"] is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"Your model: {facts['unsound']}.")
    return READER.given(session, "reads").take(facts["clean"])
