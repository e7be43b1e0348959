"""Checks of a decoding step: its recording is right, has few launches, and is fast on a GPU.

Three processes take part. The learner's process records the step with meaningless values; a judge's
process replays the recorded PyTorch operators on the hidden problem; the judge compares the
results. So the counted operators are those that computed the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.check import check
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Tolerance, compare, token_disagreement
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.levels import within
from hotloop.judge.oracle import Oracle
from hotloop.judge.program import REPEATED, Process, Program
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.judge.worker_connection import reading
from hotloop.tasks.modules.transformer_compilation import decoders
from hotloop.tasks.modules.transformer_compilation.decoders import Sizes
from hotloop.tasks.modules.transformer_compilation.given_files import EXERCISE, PROGRAMS, submitted

Rng = np.random.Generator

SHARED = {name: EXERCISE / name for name in ("decoder.py", "recording.py")}

RECORDS = Program(
    {"decode_records.py": PROGRAMS / "decode_records.py", **SHARED},
    "decode_records.py",
    believed=REPEATED,
)
REPLAYS = Program(
    {"decode_replays.py": PROGRAMS / "decode_replays.py", **SHARED}, "decode_replays.py"
)
ORACLE_FILES = {
    "decode_oracle.py": PROGRAMS / "decode_oracle.py",
    "decoder.py": EXERCISE / "decoder.py",
}
_ORACLE = Oracle(ORACLE_FILES, "decode_oracle.py")
WHOLE = _ORACLE.function("whole", token_disagreement)
"""Generation by attention to all tokens at once."""

TIMED_TRUTH = _ORACLE.function("grown", token_disagreement)
GROWN = Baseline(PROGRAMS / "decode_oracle.py", "grown", beside=ORACLE_FILES)
"""The eager loop with a cache that grows by concatenation."""

NEAR = Tolerance(3e-4, 3e-4)
"""For scores of about 1 after at most four float32 layers, whose errors are about 1e-6."""

STEPS = 8
RECORD_S = 60.0

SEED = 11
"""Seed of the decoder that generates text; the loop may be recorded only once."""

VOCABULARY, WIDTH, LAYERS = 256, 64, 4
TIMED_ROWS, TIMED_STEPS = 8, 100
TOKEN_FLOPS = 2 * (LAYERS * 12 * WIDTH * WIDTH + WIDTH * VOCABULARY)
"""FLOPs per token: matrix products with weights only."""


@check(after=("correct",), scored_by="limits")
def few_launches(session: Session) -> str:
    """Score the number of kernels in a recorded step that gives the right scores.

    A limit's `factor` is kernels per layer, its `plus` kernels besides.

    Raises Ruling for wrong scores, Partly for a score below 1.
    """
    rng = session.rng()
    size = decoders.sizes(rng, 3)
    prompts = rng.integers(0, 9, 3)
    problem = StepProblem("A step that is counted", size, prompts, 2)
    runner, kernels = _recorded(session, size)
    mismatch = problem.mismatch(rng, runner)
    if mismatch is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"{problem.label}: {mismatch}.")
    session.note(kernels=kernels, layers=size.layers)
    count = f"{kernels} kernels a step, with {size.layers} layers"
    earned = within(session.limits, kernels, size.layers)
    if earned >= 1:
        return f"{count}."
    full = max(session.limits, key=lambda at: at.earned).most(size.layers)
    advice = "look which of them could be one product, one write, or one for all layers"
    raise Partly(earned, f"{count}; {full:g} are enough: {advice}.")


def fewest_flops(spec: CallSpec) -> int:
    """Return the FLOPs of all tokens of a timed call."""
    rows, steps = spec.out.shape
    return TOKEN_FLOPS * rows * steps


def cases(rng: Rng) -> Iterator[Case]:
    """Yield batches to generate; later ones find old keys and values in the cache."""
    for rows, steps in ((8, 20), (8, 6), (16, 12), (8, 90)):
        first = InputTensor(rng.integers(0, VOCABULARY, rows), I64)
        label = f"{rows} answers of {steps} tokens"
        yield Case(label, (SEED, first), TensorSpec((rows, steps), I64))


@dataclass(frozen=True)
class StepProblem:
    """Requests in progress on which the recorded step is replayed."""

    label: str
    size: Sizes
    prompts: decoders.Tokens
    steps: int

    def mismatch(self, rng: Rng, runner: Process) -> str | None:
        """Compare the recording's scores for newly sampled requests; return a message or None."""
        sampled = {
            name: values.astype(np.float32).astype(np.float64)
            for name, values in decoders.weights(rng, self.size).items()
        }
        requests = decoders.request(rng, self.size, sampled, self.prompts, self.steps)
        inputs = [InputTensor(values, FP32) for values in (*sampled.values(), requests.cache)]
        inputs += [InputTensor(requests.places, I64), InputTensor(requests.tokens, I64)]
        out = TensorSpec((self.size.rows, self.steps, self.size.vocabulary), FP32)
        got = runner.answer("run", Case(self.label, tuple(inputs), out))
        # A take-home's variant scales the decoder's scores.
        scale = constant("LOGIT_SCALE", 1, range(2, 401))
        near = Tolerance(NEAR.relative, scale * NEAR.absolute)
        wrong = compare(got, scale * requests.scores, near)
        return None if wrong is None else f"scores [row, token, word]: {wrong.sentence()}"


def assertions(session: Session) -> Iterator[Assertion]:
    """Yield assertions that compare a replayed step with attention over all tokens at once."""
    rng = session.rng()
    for problem in problems(rng):

        def mismatch(problem: StepProblem = problem) -> str | None:
            return problem.mismatch(rng, _recorded(session, problem.size)[0])

        yield Assertion(problem.label, mismatch)


def problems(rng: Rng) -> Iterator[StepProblem]:
    """Yield requests that start, that are at different positions, and that fill the cache."""
    size = decoders.sizes(rng, 2)
    yield StepProblem("Two requests that begin", size, np.zeros(2, np.int64), STEPS)
    size = decoders.sizes(rng, 5)
    # No two rows are at the same position, and one has an empty prompt.
    prompts = rng.permutation(np.array([0, 3, 7, 11, 14]))
    label = "Requests with prompts of different lengths"
    yield StepProblem(label, size, prompts, STEPS)
    size = decoders.sizes(rng, 3)
    ends = np.array([size.longest - STEPS, 1, size.longest // 2])
    yield StepProblem("Up to the last place of the cache", size, ends, STEPS)


def _recorded(session: Session, size: Sizes) -> tuple[Process, int]:
    """Return the process that replays the recording, and the number of kernels in a step."""
    recorder = RECORDS.given(session, "records the step")
    figures = (size.rows, size.layers, size.heads, size.width, size.longest)
    reply = recorder.ask("record", submitted(session), *figures, timeout_s=RECORD_S)
    with reading():
        once, each = as_list(reply)
    runner = REPLAYS.given(session, "repeats the step")
    kernels = runner.ask("load", str(once), str(each))
    if type(kernels) is not int:
        raise Ruling(Verdict.TAMPERED, "The replay's answer does not keep to the protocol.")
    return runner, kernels


def _fill(rng: Rng, call: PlacedCall, _hostile: bool) -> None:
    (first,) = call.inputs()
    first[...] = rng.integers(0, VOCABULARY, first.shape)


_TIMED_CALL = CallSpec(
    (SEED, TensorSpec((TIMED_ROWS,), I64)), TensorSpec((TIMED_ROWS, TIMED_STEPS), I64)
)
TIMED = Workload(lambda _rng, _index: _TIMED_CALL, _fill)
