"""Streams of requests to a compiled service: what they hold, and what is right."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import torch

from hotloop import paths
from hotloop.checks.transformer_compilation import serving


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


def test_the_truth_is_what_the_given_function_computes() -> None:
    path = paths.exercises() / serving.MODULE / "served.py"
    spec = importlib.util.spec_from_file_location("given_served", path)
    assert spec is not None
    assert spec.loader is not None
    given = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(given)
    rng = np.random.default_rng(3)
    weights = serving.drawn_weights(7, 16)
    x = 1 + rng.standard_normal((3, 5, 16))
    named = {"up": torch.from_numpy(weights[0]), "down": torch.from_numpy(weights[1])}
    tensor, real = torch.from_numpy(x), torch.ones(3, 5, dtype=torch.bool)
    got = given.pooled(named, tensor, real, 0.7).numpy()
    assert np.abs(got - serving.truth(weights, x, 0.7)).max() < 1e-12
