"""A candidate's loop is timed against the plain loop, which computes the same."""

from contextlib import closing

import numpy as np
import pytest

from hotloop.core.verdict import Ruling
from hotloop.judge.calls import CallBuffers
from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.checks.fast import Fast
from hotloop.judge.constants import constants, published
from hotloop.judge.seeds import Seeds
from hotloop.tasks.modules.profile_training_loop import tasks
from hotloop.tasks.modules.profile_training_loop.augmentation import augmented
from hotloop.tasks.modules.profile_training_loop.loops import RATE, plainly
from hotloop.tasks.modules.profile_training_loop.network import CAREFUL_RATE, SMALL


def test_an_augmentation_is_compared_with_its_own_border_and_the_baseline_with_none() -> None:
    fast = tasks.augment.checks["fast_cpu"]
    assert isinstance(fast, Fast)
    spec = fast.workload.spec(Seeds().shapes(), 0)
    with constants({"BORDER": 7}), closing(CallBuffers([spec], seal_inputs=True)) as buffers:
        call = buffers.calls[0]
        fast.workload.fill(np.random.default_rng(1), call, True)
        images, entries = (each.astype(np.float64) for each in call.inputs())
        call.output()[...] = augmented(images, entries)
        fast.workload.verify(call, None)
        with pytest.raises(Ruling):
            published(fast.workload.verify)(call, None)
        call.output()[...] = published(augmented)(images, entries)
        published(fast.workload.verify)(call, None)
        with pytest.raises(Ruling):
            fast.workload.verify(call, None)


def test_the_oracle_trains_plainly_what_a_candidate_is_given_in_other_units() -> None:
    (plain, *_), (given, *_) = SMALL.cases(np.random.default_rng(1)), _given()
    with constants({"BORDER": 7, "TIMES": 3, "PLUS": 4, "PACE": 5}):
        *run, border = plainly("train", given).arguments
    assert border == 7
    assert given.arguments[RATE] == CAREFUL_RATE / 5
    assert run[RATE] == pytest.approx(CAREFUL_RATE)
    for position, (want, got) in enumerate(zip(plain.arguments, run, strict=True)):
        if isinstance(want, InputTensor) and isinstance(got, InputTensor):
            values = (3 * want.values + 4) % 10 if position == 1 else want.values
            np.testing.assert_array_equal(got.values, values)


def _given():
    with constants({"PACE": 5}):
        return list(SMALL.cases(np.random.default_rng(1)))
