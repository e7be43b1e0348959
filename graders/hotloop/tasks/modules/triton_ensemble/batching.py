"""Many requests on one device: hidden requests, and the timed calls."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.oracle import Oracle
from hotloop.judge.window import Workload
from hotloop.tasks.modules.triton_ensemble.given_files import CLASSIFIER

Rng = np.random.Generator

VOCABULARY, LONGEST, TOPICS = 512, 64, 6
WEIGHTS = 7
"""Seed of the classifier in all calls, so that it is loaded once."""

NEAR = 1e-4
"""Absolute error of a probability: float32 stays a hundred times below it; TF32 and float16 do
not."""

REQUESTS = 512
TIMED = CallSpec(
    (WEIGHTS, TensorSpec((REQUESTS, LONGEST), I64)), TensorSpec((REQUESTS, TOPICS), FP32)
)

_FILES = {CLASSIFIER.name: CLASSIFIER}
ORACLE = Oracle(_FILES, CLASSIFIER.name)
EACH = Baseline(CLASSIFIER, "answer", beside=_FILES, label="one call for each request")


def cases(rng: Rng) -> Iterator[Case]:
    """Yield requests of equal and of very different lengths."""
    yield _case("one request", _requests(rng, np.array([17])))
    yield _case("requests of one length", _requests(rng, np.full(9, LONGEST)))
    yield _case("one long request among short ones", _requests(rng, np.array([2, 64, 1, 3, 2])))
    yield _case("many requests of all lengths", _requests(rng, _lengths(rng, 70)))


def _case(label: str, tokens: NDArray[np.int64]) -> Case:
    out = TensorSpec((len(tokens), TOPICS), FP32)
    return Case(label, (WEIGHTS, InputTensor(tokens, I64)), out)


def _lengths(rng: Rng, count: int) -> NDArray[np.int64]:
    return rng.integers(1, LONGEST + 1, count)


def _requests(rng: Rng, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    tokens = rng.integers(1, VOCABULARY, (len(lengths), LONGEST))
    return np.where(np.arange(LONGEST) < lengths[:, None], tokens, 0)


def disagreement(_case: Case, got: Floats, want: Floats) -> str | None:
    """Return a message about the request whose probabilities are furthest off, or None."""
    off = np.abs(got - want).max(axis=1)
    # NaN counts as infinitely wrong.
    off = np.where(np.isnan(off), np.inf, off)
    wrong = int((off > NEAR).sum())
    if not wrong:
        return None
    row = int(off.argmax())
    topic = int(want[row].argmax())
    return (
        f"{wrong} of {len(want)} requests have other probabilities than alone: that of topic "
        f"{topic} of request {row} is {got[row, topic]:.4f} and should be {want[row, topic]:.4f}"
    )


def timed() -> Workload:
    """Return the workload of requests that queue up behind a busy device."""
    return Workload(lambda _rng, _index: TIMED, _fill)


def _fill(rng: Rng, call: PlacedCall, _hostile: bool) -> None:
    (tokens,) = call.inputs()
    tokens[...] = _requests(rng, _lengths(rng, len(tokens)))


def fewest_flops(spec: CallSpec) -> int:
    """Return the FLOPs of products with weights only, at 30 tokens per text; the mean is 32.5."""
    width, layers = 128, 4
    return spec.out.shape[0] * 30 * layers * 2 * 12 * width * width
