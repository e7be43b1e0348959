"""Rungs about files with a model in them: TorchScript, and exported programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hotloop.checks.control_flow_export.given_files import READER, RUNNER, TRUTH
from hotloop.checks.control_flow_export.ways import all_ways, seed, wasted, wrong_somewhere
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.artifact import Assignment, made
from hotloop.judge.program import Process
from hotloop.judge.questions import GivenFile
from hotloop.judge.rungs.holds import Holds, Look
from hotloop.judge.session import Session

Rng = np.random.Generator

I64_NUMBER = 5
"""Of torch.int64 in torch._export.serde.schema.ScalarType, which an archive's JSON counts by."""

MOST_MESSAGES = 64
MAKE_S = 120.0


@dataclass(frozen=True)
class Made:
    """What the learner's function wrote in this judging. weights: the seed that it was given."""

    weights: int
    data: bytes


Complaint = Callable[[Made, Session], str | None]
Runs = Callable[[Made, Session], Process]


@dataclass(frozen=True)
class ModelFile:
    """The file that `entry(seed, path)` writes, made once for all rungs of the task."""

    entry: str
    name: str

    def stands(self, complaint: Complaint, said: str, *needs: str) -> Holds:
        """The rung that nothing is to be complained of."""
        return Holds(partial(self._looks, complaint=complaint), said, needs)

    def made(self, session: Session) -> Made:
        """The file, as the first rung that asked for it had it made."""
        return session.once(f"made by {self.entry}", lambda: self._make(session))

    def _make(self, session: Session) -> Made:
        weights = seed(session.rng())
        asked = Assignment("Your model", (weights,), self.name, lambda _data: None)
        data = made(asked, session.of(self.entry, "json"), MAKE_S)
        return Made(weights, data)

    def _looks(self, session: Session, complaint: Complaint) -> Iterator[Look]:
        yield Look("Your model", lambda: complaint(self.made(session), session))


def scripted(file: Made, session: Session) -> Process:
    """What runs a TorchScript file."""
    process = RUNNER.given(session, "runs scripted")
    process.ask("load_scripted", GivenFile("model.pt", file.data))
    return process


def exported(file: Made, session: Session) -> Process:
    """What runs the clean copy of an exported program."""
    clean = session.once("clean copy", lambda: _clean(file, session))
    process = RUNNER.given(session, "runs exported")
    process.ask("load_exported", GivenFile("model.pt2", clean))
    return process


def facts_of(file: Made, session: Session) -> Message:
    """What stands in an archive."""
    truth = TRUTH.trusted(session)
    sample = GivenFile("sample.pt", truth.take(truth.ask("sample")))
    reader = READER.given(session, "reads")
    told = as_message(reader.ask("facts", GivenFile("model.pt2", file.data), sample))
    if told is None:
        raise Ruling(Verdict.TAMPERED, "The file's reader gave no answer.")
    return told


def right_everywhere(runs: Runs, file: Made, session: Session, scale: int = 1) -> str | None:
    """On all twelve ways, and at the edges. scale: as in `wrong_somewhere`."""
    rng = session.rng()
    return wrong_somewhere(file.weights, runs(file, session), rng, session, all_ways, scale)


def wastes_nothing(runs: Runs, file: Made, session: Session) -> str | None:
    """An early exit that saves nothing is none."""
    return wasted(file.weights, runs(file, session), session.rng(), session)


def dynamic(file: Made, session: Session) -> str | None:
    """Whether the archive is sound, free in both sizes, and keeps both sides of the exit."""
    told = facts_of(file, session)
    if told["unsound"] is not None:
        return str(told["unsound"])
    wanted = [("tokens", 2), ("kind", 0)]
    inputs = as_list(told["inputs"])
    if len(inputs) != len(wanted):
        return f"it has {len(inputs)} inputs, and two are asked for: tokens and kind"
    for (name, dimensions), (dtype, sizes) in zip(wanted, inputs, strict=True):
        if dtype != I64_NUMBER or len(sizes) != dimensions:
            return f"its input {name} is no int64 tensor of {dimensions} dimensions"
    ranges = as_message(told["ranges"]) or {}
    for label, most, size in zip(("n", "length"), (MOST_MESSAGES, 128), inputs[0][1], strict=True):
        found = _not_free(label, most, size, ranges)
        if found is not None:
            return found
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


def _clean(file: Made, session: Session) -> bytes:
    told = facts_of(file, session)
    if told["unsound"] is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"Your model: {told['unsound']}.")
    return READER.given(session, "reads").take(told["clean"])
