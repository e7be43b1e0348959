"""Requests that the learner translated: tensors are data in either form of the protocol."""

import json

import pytest

from hotloop.tasks.modules.triton_ensemble import serving_rest

WANT = {"path": "/v2/models/a/infer", "inputs": {"x": ["FP32", [2, 2], [1.0, 2.0, 3.0, 4.0]]}}


def mismatch(data: object, shape: tuple[int, ...] = (2, 2)) -> str | None:
    tensor = {"name": "x", "datatype": "FP32", "shape": shape, "data": data}
    return serving_rest._other_request([WANT["path"], json.dumps({"inputs": [tensor]})], WANT)


def test_data_may_be_flat_or_nested() -> None:
    assert mismatch([1.0, 2.0, 3.0, 4.0]) is None
    assert mismatch([[1.0, 2.0], [3.0, 4.0]]) is None


@pytest.mark.parametrize("data", [[1.0, 3.0, 2.0, 4.0], [[1.0, 3.0], [2.0, 4.0]], 1.0, None])
def test_other_data_are_wrong(data: object) -> None:
    assert "input x is" in str(mismatch(data))


def test_the_shape_stays_that_of_the_tensor() -> None:
    assert "input x is" in str(mismatch([[1.0, 2.0], [3.0, 4.0]], (4,)))
