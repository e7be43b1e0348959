"""Messages with a data-dependent exit on a device: hidden ones, and the timed calls."""

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
from hotloop.judge.seeds import Rng
from hotloop.judge.window import Workload
from hotloop.tasks.modules.control_flow_export.encoder_paths import FULL_UP_TO, LONGEST, QUEUES
from hotloop.tasks.modules.control_flow_export.given_files import GIVEN

VOCABULARY, KINDS = 512, 3
WEIGHTS = 7
"""Seed of the encoder in all calls, so that it is loaded once."""

MESSAGES = 512
TIMED = CallSpec(
    (WEIGHTS, TensorSpec((MESSAGES, LONGEST), I64), TensorSpec((MESSAGES,), I64)),
    TensorSpec((MESSAGES, QUEUES), FP32),
)

NEAR = 1e-3
"""Relative to the largest score, as for the exported program."""

UNSURE = 128
"""One message in 128 may take the other exit: its confidence is at the limit, where rounding
decides."""

_FILES = {name: GIVEN / name for name in ("deciding.py", "encoder.py")}
ORACLE = Oracle(_FILES, "deciding.py")
ALONE = Baseline(GIVEN / "deciding.py", "one_by_one", beside=_FILES, label="one by one, eager")


def cases(rng: Rng) -> Iterator[Case]:
    """Yield messages of all kinds and lengths."""
    yield _case("one message", rng, np.array([9]))
    yield _case("short messages", rng, rng.integers(1, FULL_UP_TO + 1, 16))
    yield _case("long messages", rng, rng.integers(FULL_UP_TO + 1, LONGEST + 1, 16))
    edges = np.repeat([1, FULL_UP_TO, FULL_UP_TO + 1, LONGEST], 6)
    yield _case("messages of lengths at the edges", rng, edges)
    yield _case("many messages", rng, rng.integers(1, LONGEST + 1, 100))


def _case(label: str, rng: Rng, lengths: NDArray[np.int64]) -> Case:
    tokens = InputTensor(_messages(rng, lengths), I64)
    kinds = InputTensor(rng.integers(KINDS, size=len(lengths)), I64)
    return Case(label, (WEIGHTS, tokens, kinds), TensorSpec((len(lengths), QUEUES), FP32))


def _messages(rng: Rng, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    tokens = rng.integers(1, VOCABULARY, (len(lengths), LONGEST))
    return np.where(np.arange(LONGEST) < lengths[:, None], tokens, 0)


def disagreement(_case: Case, got: Floats, want: Floats) -> str | None:
    """Return a message about the row whose scores are furthest off, or None."""
    off = np.abs(got - want).max(axis=1) / np.abs(want).max()
    # NaN counts as infinitely wrong.
    off = np.where(np.isnan(off), np.inf, off)
    wrong = int((off > NEAR).sum())
    if wrong <= len(want) // UNSURE:
        return None
    row = int(off.argmax())
    queue = int(np.abs(got[row] - want[row]).argmax())
    return (
        f"{wrong} of {len(want)} messages have other scores than alone: that of queue {queue} of "
        f"message {row} is {got[row, queue]:.4f} and should be {want[row, queue]:.4f}"
    )


def timed() -> Workload:
    """Return the workload of messages that queue up behind a busy device."""
    return Workload(lambda _rng, _index: TIMED, _fill)


def _fill(rng: Rng, call: PlacedCall, _hostile: bool) -> None:
    tokens, kinds = call.inputs()
    tokens[...] = _messages(rng, rng.integers(1, LONGEST + 1, len(tokens)))
    kinds[...] = rng.integers(KINDS, size=len(kinds))


def fewest_flops(spec: CallSpec) -> int:
    """Return the FLOPs of one layer's products with weights.

    60 tokens per message are counted; the mean length is 64.5.
    """
    width = 64
    return spec.out.shape[0] * 60 * 2 * 12 * width * width
