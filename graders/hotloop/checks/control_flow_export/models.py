"""Rungs about files with a model in them: TorchScript, and exported programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from hotloop.checks.control_flow_export.given_files import READER, RUNNER, TRUTH
from hotloop.checks.control_flow_export.ways import all_ways, seed, wasted, wrong_somewhere
from hotloop.judge.artifact import Assignment, made
from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.program import Process
from hotloop.judge.questions import GivenFile
from hotloop.judge.rungs.holds import Holds, Look
from hotloop.judge.verdict import Ruling, Verdict
from hotloop.worker.wire import Message, as_list, as_message

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


Complaint = Callable[[Made, Bench], str | None]
Runs = Callable[[Made, Bench], Process]


@dataclass(frozen=True)
class ModelFile:
    """The file that `entry(seed, path)` writes, made once for all rungs of the task."""

    entry: str
    name: str

    def stands(self, complaint: Complaint, said: str, *needs: str) -> Holds:
        """The rung that nothing is to be complained of."""
        return Holds(partial(self._looks, complaint=complaint), said, needs)

    def made(self, candidate: Candidate, bench: Bench) -> Made:
        """The file, as the first rung that asked for it had it made."""
        return bench.shared(f"made by {self.entry}", lambda: self._make(candidate, bench))

    def _make(self, candidate: Candidate, bench: Bench) -> Made:
        weights = seed(bench.seeds.generator())
        asked = Assignment("Your model", (weights,), self.name, lambda _data: None)
        entry = replace(candidate, name=self.entry, style="json")
        data = made(asked, entry, bench, MAKE_S)
        return Made(weights, data)

    def _looks(self, candidate: Candidate, bench: Bench, complaint: Complaint) -> Iterator[Look]:
        yield Look("Your model", lambda: complaint(self.made(candidate, bench), bench))


def scripted(file: Made, bench: Bench) -> Process:
    """What runs a TorchScript file."""
    process = RUNNER.given(bench, "runs scripted")
    process.ask("load_scripted", GivenFile("model.pt", file.data))
    return process


def exported(file: Made, bench: Bench) -> Process:
    """What runs the clean copy of an exported program."""
    clean = bench.shared("clean copy", lambda: _clean(file, bench))
    process = RUNNER.given(bench, "runs exported")
    process.ask("load_exported", GivenFile("model.pt2", clean))
    return process


def facts_of(file: Made, bench: Bench) -> Message:
    """What stands in an archive."""
    truth = TRUTH.trusted(bench)
    sample = GivenFile("sample.pt", truth.take(truth.ask("sample")))
    reader = READER.given(bench, "reads")
    told = as_message(reader.ask("facts", GivenFile("model.pt2", file.data), sample))
    if told is None:
        raise Ruling(Verdict.TAMPERED, "The file's reader gave no answer.")
    return told


def right_everywhere(runs: Runs, file: Made, bench: Bench, scale: int = 1) -> str | None:
    """On all twelve ways, and at the edges. scale: as in `wrong_somewhere`."""
    rng = bench.seeds.generator()
    return wrong_somewhere(file.weights, runs(file, bench), rng, bench, all_ways, scale)


def wastes_nothing(runs: Runs, file: Made, bench: Bench) -> str | None:
    """An early exit that saves nothing is none."""
    return wasted(file.weights, runs(file, bench), bench.seeds.generator(), bench)


def dynamic(file: Made, bench: Bench) -> str | None:
    """Whether the archive is sound, free in both sizes, and keeps both sides of the exit."""
    told = facts_of(file, bench)
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


def _clean(file: Made, bench: Bench) -> bytes:
    told = facts_of(file, bench)
    if told["unsound"] is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"Your model: {told['unsound']}.")
    return READER.given(bench, "reads").take(told["clean"])
