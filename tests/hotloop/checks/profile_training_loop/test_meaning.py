"""A candidate's loop is timed against the plain one, which keeps the plain meaning."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from hotloop.checks import profile_training_loop as checks
from hotloop.checks.profile_training_loop.augmentation import augmented
from hotloop.core.verdict import Ruling
from hotloop.judge.calls import Arena
from hotloop.judge.rungs.fast import Fast
from hotloop.judge.rungs.gpu_refereed import GpuRefereedFast
from hotloop.judge.rungs.refereed_fast import RefereedFast
from hotloop.judge.seeds import Seeds
from hotloop.variants import draw

VARIANT = draw("profile_training_loop", bytes(32), "quiet-otter-41")


def test_an_augmentation_is_compared_with_its_own_border_and_the_baseline_with_none() -> None:
    fast = checks.augment(VARIANT).rungs["fast_cpu"]
    assert isinstance(fast, Fast)
    assert fast.baseline_workload is not None
    border = int(VARIANT.constants["BORDER"])
    with closing(Arena([fast.workload.spec(Seeds().shapes(), 0)], seal_inputs=True)) as arena:
        call = arena.calls[0]
        fast.workload.fill(np.random.default_rng(1), call, True)
        images, entries = (each.astype(np.float64) for each in call.inputs())
        call.output()[...] = augmented(images, entries, border)
        fast.workload.verify(call, None)
        with pytest.raises(Ruling):
            fast.baseline_workload.verify(call, None)
        call.output()[...] = augmented(images, entries)
        fast.baseline_workload.verify(call, None)
        with pytest.raises(Ruling):
            fast.workload.verify(call, None)


def test_only_a_candidates_loop_has_a_baseline_that_means_something_else() -> None:
    for variant, differs in ((None, False), (VARIANT, True)):
        rungs = checks.train(variant).rungs
        on_cpu, on_gpu = rungs["fast_cpu"], rungs["gpu_fast"]
        assert isinstance(on_cpu, RefereedFast)
        assert isinstance(on_gpu, GpuRefereedFast)
        for workload in (on_cpu.fast.baseline_workload, on_gpu.baseline_workload):
            assert (workload is not None) is differs
