"""The training step without host transfers, on a GPU: state and rate stay on the device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.checks.correct import Case
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.file_exchange import get_file
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.engine import builder, running
from hotloop.judge.questions import ask_plainly, put_folder
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.tasks.modules.xla_vs_eager import exported
from hotloop.tasks.modules.xla_vs_eager.exported import RUNS, tensor
from hotloop.tasks.modules.xla_vs_eager.given_files import GIVEN, NETWORK, PROGRAMS
from hotloop.tasks.modules.xla_vs_eager.speed import BATCH, TF32_SHARE
from hotloop.tasks.modules.xla_vs_eager.steps import GUARDED

FUNCTION = "guarded_steps"
STEPS = 32
MAKE_S = 90.0
SLOW = Baseline(
    PROGRAMS / "slow_steps.py",
    FUNCTION,
    beside={**NETWORK, "slow_training.py": GIVEN / "slow_training.py"},
)
STEPPED = replace(GUARDED, share=TF32_SHARE)


def cases(rng: Rng) -> Iterator[Case]:
    """Yield few and many steps; in some, one batch has a NaN and must not change anything."""
    for steps, bad in ((1, None), (6, None), (6, 2), (1, 0), (STEPS, STEPS - 1)):
        images, labels, state, rate = _inputs(rng, steps)
        label = f"{steps} steps"
        if bad is not None:
            images[bad, int(rng.integers(BATCH)), 3, 3, 0] = np.nan
            label += f", the batch of step {bad} with a NaN in it"
        out = TensorSpec((2 + len(state),), FP32)
        yield Case(label, tuple(map(tensor, (state, images, labels, rate))), out)


def mismatch(_case: Case, got: Floats, want: Floats) -> str | None:
    """Return a message about a wrong last loss, rate, parameter or momentum, or None."""
    return STEPPED.difference(got, want)


def _inputs(rng: Rng, steps: int) -> tuple[NDArray[np.float64], ...]:
    """Return images, labels, state and rate.

    Most gradients are longer than LIMIT, and no loss is so close to PATIENCE that TF32 could move
    it to the other side.
    """
    images = 3 * exported.random_images(rng, steps * BATCH).reshape(steps, BATCH, 8, 8, 1) + 1
    labels = exported.labels(rng, steps * BATCH).reshape(steps, BATCH)
    state = np.concatenate([1.1 * exported.parameters(rng), 0.1 * exported.parameters(rng)])
    return images, labels, state, np.array([0.02 + 0.01 * rng.random()])


def _spec(_rng: Rng, _index: int) -> CallSpec:
    state = 2 * exported.PARAMETERS
    shapes = ((state,), (STEPS, BATCH, 8, 8, 1), (STEPS, BATCH), (1,))
    return CallSpec(tuple(TensorSpec(s, FP32) for s in shapes), TensorSpec((2 + state,), FP32))


def _fill(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    """Fill in a call. hostile: a random batch has a NaN in it."""
    images, labels, state, rate = _inputs(rng, STEPS)
    if hostile:
        images[int(rng.integers(STEPS)), int(rng.integers(BATCH)), 3, 3, 0] = np.nan
    for buffer, values in zip(call.inputs(), (state, images, labels, rate), strict=True):
        buffer[...] = values


TIMED = Workload(_spec, _fill)


def _built(session: Session, card: Card) -> bytes:
    """Return the program that the candidate exports while its JAX runs on the GPU."""
    with builder(session, card) as worker:
        target = f"{put_folder(worker)}/{exported.FILE}"
        ask_plainly(worker, (BATCH, target), session.timeout(MAKE_S))
        return get_file(worker, target)


ENTRANT = partial(running, _built, runner=RUNS, function=FUNCTION)
