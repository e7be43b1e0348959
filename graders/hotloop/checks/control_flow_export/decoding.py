"""Rungs about the decoder: a step that can be replayed, the loop around it, and its speed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.checks.control_flow_export import models
from hotloop.checks.control_flow_export.given_files import GIVEN, HARNESS, READER, program
from hotloop.checks.control_flow_export.ways import departs
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.levels import Level
from hotloop.judge.program import Process
from hotloop.judge.questions import GivenFile
from hotloop.judge.referee import Referee
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.rungs.fast import Baseline
from hotloop.judge.rungs.gpu_refereed import GpuRefereed, GpuRefereedFast
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.session import Session
from hotloop.judge.window import Workload

Rng = np.random.Generator

VOCABULARY, LONGEST, MESSAGES = 256, 64, 4
CACHE = (3, MESSAGES, 4, LONGEST, 16)
INPUTS = ((5, (MESSAGES,)), (5, ()), (7, CACHE), (7, CACHE))
"""Types by their numbers in torch._export.serde.schema.ScalarType: 5 is int64, 7 is float32."""

NAMES = ("token", "place", "keys", "values")
DECIDING = ("item", "_local_scalar_dense", "higher_order", "nonzero")
"""In the name of an operator: the host must look at a value before it knows what comes next."""

STEPS = 48
WEIGHTS = 7
"""Of the decoder that is generated with; the loop may be recorded once."""

TIMED_MESSAGES, TIMED_STEPS = 8, 60
FEWEST_FLOPS = 2 * (3 * 12 * 64 * 64 + 64 * VOCABULARY)
"""Of a token: the products with weights alone."""

TRUTH = program("decode_truth.py", "decoder.py")
RUNNER = program("decode_runs.py")
FILES = {
    "decode_referee.py": HARNESS / "decode_referee.py",
    "decoder.py": GIVEN / "decoder.py",
}
REFEREE = Referee(FILES, "decode_referee.py")
BASELINE = Baseline(HARNESS / "decode_referee.py", "generate", beside=FILES)


def replayable(file: models.Made, session: Session) -> str | None:
    """Whether the exported step has fixed shapes and no decisions, and is right step by step."""
    truth = TRUTH.trusted(session)
    sample = GivenFile("sample.pt", truth.take(truth.ask("sample")))
    reader = READER.given(session, "reads")
    told = as_message(reader.ask("facts", GivenFile("step.pt2", file.data), sample))
    if told is None:
        raise Ruling(Verdict.TAMPERED, "The file's reader gave no answer.")
    found = fixed(told)
    if found is not None:
        return found
    runner = RUNNER.given(session, "runs the step")
    runner.ask("load", GivenFile("step.pt2", reader.take(told["clean"])))
    return _step_by_step(file.weights, runner, session)


def fixed(told: Message) -> str | None:
    """What is wrong with the structure of a step; a sentence's beginning."""
    if told["unsound"] is not None:
        return str(told["unsound"])
    inputs = as_list(told["inputs"])
    if len(inputs) != len(INPUTS):
        return f"it has {len(inputs)} inputs, and {len(INPUTS)} are asked for"
    for name, (dtype, sizes), (kind, shape) in zip(NAMES, inputs, INPUTS, strict=True):
        if (dtype, tuple(sizes)) != (kind, shape):
            return f"its input {name} is none of {list(shape)} in the type that is asked for"
    if told["symbols"]:
        return "sizes in it depend on something: a recording has one size"
    for target in as_list(told["targets"]):
        if any(part in str(target) for part in DECIDING):
            return f"{target} has to know a value before it goes on; a recording cannot wait"
    return None


def cases(rng: Rng) -> Iterator[Case]:
    """Answers to write, of several sizes."""
    for n, steps in ((1, 5), (4, STEPS), (8, LONGEST)):
        first = Tensor(rng.integers(0, VOCABULARY, n), I64)
        label = f"{n} answer{'s' if n > 1 else ''} of {steps} tokens"
        yield Case(label, (WEIGHTS, first), TensorSpec((n, steps), I64))


def disagreement(_case: Case, got: Floats, want: Floats) -> str | None:
    """Where answers are others. One of eight may part: two tokens can be equally good."""
    parted = np.flatnonzero((got != want).any(axis=1))
    if len(parted) <= len(want) // 8:
        return None
    row = int(parted[0])
    step = int(np.flatnonzero(got[row] != want[row])[0])
    return (
        f"{len(parted)} of {len(want)} answers are others: answer {row} parts at token {step}, "
        f"which is {int(got[row, step])} and should be {int(want[row, step])}"
    )


def correct() -> Refereed:
    """The loop writes what the source writes, on the CPU."""
    return Refereed(cases, REFEREE, "generate", disagreement, after=("replayable",))


def gpu_correct() -> GpuRefereed:
    """The same on a GPU."""
    return GpuRefereed(cases, REFEREE, "generate", disagreement)


def gpu_fast(levels: tuple[Level, ...]) -> GpuRefereedFast:
    """The recorded loop against the eager one. Nothing here was measured yet."""
    spec = CallSpec(
        (WEIGHTS, TensorSpec((TIMED_MESSAGES,), I64)),
        TensorSpec((TIMED_MESSAGES, TIMED_STEPS), I64),
    )
    workload = Workload(lambda _rng, _index: spec, _fill)
    flops = FEWEST_FLOPS * TIMED_MESSAGES * TIMED_STEPS
    return GpuRefereedFast(
        workload, BASELINE, REFEREE, "generate", disagreement, lambda _spec: flops, levels
    )


def _step_by_step(weights: int, runner: Process, session: Session) -> str | None:
    rng = session.rng()
    for steps in (1, STEPS, LONGEST):
        tokens = Tensor(rng.integers(0, VOCABULARY, (MESSAGES, steps)), I64)
        out = TensorSpec((MESSAGES, steps, VOCABULARY), FP32)
        label = f"{steps} steps"
        want = TRUTH.trusted(session).answer("scores", Case(label, (weights, tokens), out))
        found = departs(runner.answer("run", Case(label, (tokens,), out)), want)
        if found is not None:
            return f"in {label}, with keys and values in one place that was used before: {found}"
    return None


def _fill(rng: Rng, call: Call, _hostile: bool) -> None:
    (first,) = call.inputs()
    first[...] = rng.integers(0, VOCABULARY, first.shape)
