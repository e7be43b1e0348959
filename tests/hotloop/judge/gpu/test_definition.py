"""A timed call's shapes, bytes and draws follow from its definition."""

import numpy as np
import pytest

from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP16
from hotloop.judge.gpu.definition import Input, Output, device_workload
from hotloop.judge.gpu.recipes import Draw, Normal

TOLERANCE = Tolerance(0.0, 1e-3)


def _anywhere(rng: np.random.Generator) -> Draw:
    return Normal(float(rng.integers(2, 5)))


def test_shapes_are_names_of_axes_and_bytes_follow() -> None:
    workload = device_workload(
        {"m": 4, "k": 3}, (Input("m k", FP16), 2.5, "k"), Output("m"), abs, TOLERANCE
    )
    spec = workload.spec(np.random.default_rng(1), 0)
    a, factor, k = spec.arguments
    assert (a, factor, k) == (spec.tensors[0], 2.5, 3)
    assert (spec.tensors[0].shape, spec.out.shape) == ((4, 3), (4,))
    assert spec.bytes == 2 * 12 + 4 * 4
    assert workload.tolerance(spec) == TOLERANCE


def test_axes_and_draws_may_be_secret() -> None:
    large = Normal(1.0, "large", rows=5)
    workload = device_workload(
        lambda rng, index: {"n": int(rng.integers(5, 9)) + 100 * index},
        (Input("n", draw=_anywhere), Input("n", hostile=large)),
        Output("n"),
        lambda x, y: x + y,
        lambda spec: Tolerance(0.0, spec.out.shape[0]),
    )
    rng = np.random.default_rng(1)
    spec = workload.spec(rng, 2)
    assert 205 <= spec.out.shape[0] < 209
    assert workload.tolerance(spec).absolute == spec.out.shape[0]
    usual, hostile = (workload.draws(rng, spec, each) for each in (False, True))
    assert (usual[1], hostile[1]) == (Normal(1.0), large)
    assert isinstance(usual[0], Normal)
    assert usual[0].scale >= 2


def test_an_axis_that_does_not_exist_is_told_at_once() -> None:
    with pytest.raises(KeyError, match="columns"):
        device_workload({"rows": 4}, (Input("rows columns"),), Output("rows"), abs, TOLERANCE)
