"""The decoder: a step that can be replayed, the loop around it, and the timed calls."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hotloop.core.wire import Message, as_list
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import token_disagreement
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.oracle import Oracle
from hotloop.judge.program import Process
from hotloop.judge.questions import GivenFile
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.tasks.modules.control_flow_export import models
from hotloop.tasks.modules.control_flow_export.encoder_paths import departs
from hotloop.tasks.modules.control_flow_export.given_files import GIVEN, PROGRAMS, READER, program

VOCABULARY, LONGEST, MESSAGES = 256, 64, 4
CACHE = (3, MESSAGES, 4, LONGEST, 16)
INPUTS = ((5, (MESSAGES,)), (5, ()), (7, CACHE), (7, CACHE))
"""Dtypes by their numbers in torch._export.serde.schema.ScalarType: 5 is int64, 7 is float32."""

NAMES = ("token", "place", "keys", "values")
DECIDING = (
    "item",
    "_local_scalar_dense",
    "higher_order.cond",
    "higher_order.while_loop",
    "nonzero",
)
"""Operators whose names contain one of these make the host wait for a value."""

STEPS = 48
WEIGHTS = 7
"""Seed of the decoder that generates; the loop may be recorded only once."""

TIMED = CallSpec((WEIGHTS, TensorSpec((8,), I64)), TensorSpec((8, 60), I64))
"""Eight answers of 60 tokens."""

TRUTH = program("decode_truth.py", "decoder.py")
RUNNER = program("decode_runs.py")
FILES = {
    "decode_oracle.py": PROGRAMS / "decode_oracle.py",
    "decoder.py": GIVEN / "decoder.py",
}
GENERATED = Oracle(FILES, "decode_oracle.py").function("generate", token_disagreement)
BASELINE = Baseline(PROGRAMS / "decode_oracle.py", "generate", beside=FILES)


def replayable(file: models.Written, session: Session) -> str | None:
    """Check that the exported step has fixed shapes and no decisions, and is right step by step.

    Returns a message or None.
    """
    facts = models.facts_of(file, session, TRUTH)
    mismatch = fixed(facts)
    if mismatch is not None:
        return mismatch
    clean = READER.given(session, "reads").take(facts["clean"])
    runner = RUNNER.given(session, "runs the step")
    runner.ask("load", GivenFile("step.pt2", clean))
    return _step_by_step(file.weights, runner, session)


def fixed(facts: Message) -> str | None:
    """Return what is wrong with a step's structure as the start of a sentence, or None."""
    if facts["unsound"] is not None:
        return str(facts["unsound"])
    inputs = as_list(facts["inputs"])
    if len(inputs) != len(INPUTS):
        return f"it has {len(inputs)} inputs, and {len(INPUTS)} are asked for"
    for name, (dtype, sizes), (kind, shape) in zip(NAMES, inputs, INPUTS, strict=True):
        if (dtype, tuple(sizes)) != (kind, shape):
            return f"its input {name} is none of {list(shape)} in the type that is asked for"
    if facts["symbols"]:
        return "sizes in it depend on something: a recording has one size"
    for target in as_list(facts["targets"]):
        if any(part in str(target) for part in DECIDING):
            return f"{target} has to know a value before it goes on; a recording cannot wait"
    return None


def cases(rng: Rng) -> Iterator[Case]:
    """Yield batches of answers to generate, of several sizes."""
    for n, steps in ((1, 5), (4, STEPS), (8, LONGEST)):
        first = InputTensor(rng.integers(0, VOCABULARY, n), I64)
        label = f"{n} answer{'s' if n > 1 else ''} of {steps} tokens"
        yield Case(label, (WEIGHTS, first), TensorSpec((n, steps), I64))


def _step_by_step(weights: int, runner: Process, session: Session) -> str | None:
    rng = session.rng()
    for steps in (1, STEPS, LONGEST):
        tokens = InputTensor(rng.integers(0, VOCABULARY, (MESSAGES, steps)), I64)
        out = TensorSpec((MESSAGES, steps, VOCABULARY), FP32)
        label = f"{steps} steps"
        want = TRUTH.trusted(session).answer("scores", Case(label, (weights, tokens), out))
        mismatch = departs(runner.answer("run", Case(label, (tokens,), out)), want)
        if mismatch is not None:
            return f"in {label}, with keys and values in one place that was used before: {mismatch}"
    return None


def timed() -> Workload:
    """Return the workload of the decoding loop, timed on a GPU."""
    return Workload(lambda _rng, _index: TIMED, _fill)


def _fill(rng: Rng, call: PlacedCall, _hostile: bool) -> None:
    (first,) = call.inputs()
    first[...] = rng.integers(0, VOCABULARY, first.shape)


def fewest_flops(spec: CallSpec) -> int:
    """Return the FLOPs of products with weights only."""
    return math.prod(spec.out.shape) * 2 * (3 * 12 * 64 * 64 + 64 * VOCABULARY)
