"""A transformers class with branches: hidden messages for each branch, and the right scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.control_flow_export.encoder_paths import departs, seed, with_weights
from hotloop.tasks.modules.control_flow_export.given_files import program
from hotloop.tasks.modules.control_flow_export.models import Runs, Written

TRUTH = program("routed_truth.py", "routed.py")
KINDS = ("both ways", "causal")
POOLED_UP_TO, LONGEST = 32, 128
QUEUES = 8


def right_everywhere(runs: Runs, file: Written, session: Session) -> str | None:
    """Return where the model's scores differ from those of the source, or None."""
    rng, runner, truth = session.rng(), runs(file, session), TRUTH.trusted(session)
    for kind, n, length in _ways(rng):
        sampled = truth.answer("messages", Case("", (seed(rng),), TensorSpec((n, length), I64)))
        label = f"{KINDS[kind]}, messages: {n}, tokens: {length}"
        arguments = (InputTensor(sampled.astype(np.int64), I64), kind)
        case = Case(label, arguments, TensorSpec((n, QUEUES), FP32))
        mismatch = departs(
            runner.answer("run", case), truth.answer("run", with_weights(file.weights, case))
        )
        if mismatch is not None:
            return f"for “{label}” {mismatch}"
    return None


def _ways(rng: Rng) -> Iterator[tuple[int, int, int]]:
    """Yield kind, messages and tokens: both sides of each branch, and the edge sizes."""
    for kind in range(len(KINDS)):
        for least, most in ((2, POOLED_UP_TO), (POOLED_UP_TO + 1, LONGEST)):
            yield kind, int(rng.integers(2, 9)), int(rng.integers(least, most + 1))
    for length in (1, POOLED_UP_TO, POOLED_UP_TO + 1, LONGEST):
        yield int(rng.integers(len(KINDS))), 1, length
