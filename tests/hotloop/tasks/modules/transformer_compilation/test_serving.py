"""Streams of requests to a compiled service: their contents, and right answers."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import cast

import numpy as np
import pytest
import torch

from hotloop.core import paths
from hotloop.core.verdict import Ruling
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constants
from hotloop.judge.program import Process
from hotloop.tasks.modules.transformer_compilation import serving


@pytest.mark.parametrize("seed", range(5))
def test_each_stream_has_all_that_guards_look_at(seed: int) -> None:
    requests = list(serving.stream(np.random.default_rng(seed)))
    assert len(requests) == serving.CALLS
    assert requests[0].rows == requests[0].length
    assert any(r.rows == 1 < r.length for r in requests)
    assert any(r.length == 1 < r.rows for r in requests)
    assert any(r.rows == r.length == 1 for r in requests)
    assert {type(r.temperature) for r in requests} == {int, float}
    assert {r.strided for r in requests} == {True, False}


def test_the_truth_is_what_the_given_function_computes(
    load_file: Callable[[Path], ModuleType],
) -> None:
    given = load_file(paths.exercises() / "transformer_compilation" / "served.py")
    rng = np.random.default_rng(3)
    weights = serving.sampled_weights(7, 16)
    x = 1 + rng.standard_normal((3, 5, 16))
    named = {"up": torch.from_numpy(weights[0]), "down": torch.from_numpy(weights[1])}
    tensor, real = torch.from_numpy(x), torch.ones(3, 5, dtype=torch.bool)
    got = given.pooled(named, tensor, real, 0.7).numpy()
    assert np.abs(got - serving.truth(weights, x, 0.7)).max() < 1e-12


class Exact:
    """A process whose answers are right times a factor."""

    def __init__(self, weights: tuple[Floats, Floats], gain: float, temperature: float) -> None:
        self.weights, self.gain, self.temperature = weights, gain, temperature

    def answer(self, _what: str, case: Case, **_options: float) -> Floats:
        x = case.arguments[0]
        assert isinstance(x, InputTensor)
        return self.gain * serving.truth(self.weights, x.rounded(), self.temperature)


@pytest.mark.parametrize("gain", [1, 2, 400])
def test_a_variant_scales_what_is_pooled(gain: int) -> None:
    weights, request = serving.sampled_weights(7, 16), serving.Request(3, 5, 0.7, strided=False)

    def judge(process: Exact) -> None:
        rng = np.random.default_rng(2)
        with constants({"GAIN": gain}):
            serving._require_right("One", request, "", weights, rng, cast(Process, process))

    judge(Exact(weights, gain, 0.7))
    for other in (gain + 1, gain - 1):
        with pytest.raises(Ruling, match="One, 3 rows of 5"):
            judge(Exact(weights, other, 0.7))
