"""Encoding and decoding of tensors; an inconsistent answer is refused."""

import json
from typing import Any

import numpy as np
import pytest

from hotloop.engines.serving.http import HttpResponse
from hotloop.engines.serving.inference import Array, decode, encode, texts


def answered(outputs: list[dict[str, Any]], data: bytes, length: str | None = None) -> HttpResponse:
    header = json.dumps({"outputs": outputs}).encode()
    found = length if length is not None else str(len(header))
    return HttpResponse(200, {"inference-header-content-length": found}, header + data)


def echoed(inputs: dict[str, Array]) -> dict[str, Array]:
    """Return the tensors as a server would send them back."""
    body, length = encode(inputs)
    document = json.loads(body[:length])
    return decode(answered(document["inputs"], body[length:]))


def test_tensors_survive() -> None:
    inputs = {
        "a": np.arange(6, dtype=np.int64).reshape(2, 3),
        "b": np.array([[1.5, -2.5]], np.float32).T,
        "c": texts(["", "ünïcödé", "x\0y"]),
        "d": np.zeros((0, 4), np.float16),
        "e": np.array([True, False]),
    }
    got = echoed(inputs)
    assert got.keys() == inputs.keys()
    for name, array in inputs.items():
        assert got[name].dtype == array.dtype
        np.testing.assert_array_equal(got[name], array)


def test_outputs_are_asked_for_in_binary() -> None:
    body, length = encode({"a": np.zeros(1, np.float32)}, ("x", "y"), {"sequence_id": 3})
    document = json.loads(body[:length])
    assert [entry["name"] for entry in document["outputs"]] == ["x", "y"]
    assert all(entry["parameters"]["binary_data"] for entry in document["outputs"])
    assert document["parameters"] == {"binary_data_output": True, "sequence_id": 3}


def output(**changes: Any) -> dict[str, Any]:
    entry = {"name": "x", "datatype": "FP32", "shape": [2], "parameters": {"binary_data_size": 8}}
    return {**entry, **changes}


def test_a_sound_answer_is_read() -> None:
    assert decode(answered([output()], bytes(8)))["x"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("entry", "data"),
    [
        (output(shape=[3]), bytes(8)),
        (output(shape=[-2]), bytes(8)),
        (output(shape=[True, 2]), bytes(8)),
        (output(shape=[10**9, 10**9]), bytes(8)),
        (output(shape=[1] * 40), bytes(8)),
        (output(datatype="FP31"), bytes(8)),
        (output(parameters={"binary_data_size": 9}), bytes(8)),
        (output(parameters={}), bytes(8)),
        (output(shape="2"), bytes(8)),
        (output(datatype="BYTES", shape=[1]), b"\x05\0\0\0four"),
        (output(datatype="BYTES", shape=[3]), b"\0\0\0\0\0\0\0\0"),
        ({"name": "x"}, bytes(8)),
    ],
)
def test_an_answer_that_lies_is_refused(entry: dict[str, Any], data: bytes) -> None:
    with pytest.raises(ValueError, match=r"output|tensor|server"):
        decode(answered([entry], data))


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"outputs": 3}', b"[" * 100_000])
def test_what_is_no_answer_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's own or ours
        decode(HttpResponse(200, {}, body))
