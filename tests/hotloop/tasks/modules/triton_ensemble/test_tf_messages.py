"""The messages that learners are given are TensorFlow Serving's own, by name, number and type."""

from __future__ import annotations

import runpy
from typing import Any

import pytest

from hotloop.core import paths

GIVEN: dict[str, Any] = runpy.run_path(
    str(paths.exercises() / "triton_ensemble" / "tfs_messages.py")
)
ENUM, INT32 = 14, 5  # of descriptor.proto: the same on the wire


def fields(message: Any) -> dict[str, tuple[int, int, bool]]:
    """Number, type and whether it is repeated, of each field."""
    return {
        field.name: (
            field.number,
            INT32 if field.type == ENUM else field.type,
            field.is_repeated,
        )
        for field in message.DESCRIPTOR.fields
    }


def is_part(ours: Any, theirs: Any) -> bool:
    return fields(ours).items() <= fields(theirs).items()


def test_tensors_are_tensorflows() -> None:
    tensor_pb2: Any = pytest.importorskip("tensorflow.core.framework.tensor_pb2")
    types_pb2: Any = pytest.importorskip("tensorflow.core.framework.types_pb2")
    assert is_part(GIVEN["TensorProto"], tensor_pb2.TensorProto)
    names = {"bytes": "string", "float32": "float", "float64": "double", "float16": "half"}
    for name, number in GIVEN["TYPES"].items():
        assert types_pb2.DataType.Value(f"DT_{str(names.get(name, name)).upper()}") == number


def test_requests_are_tensorflow_servings() -> None:
    predict_pb2: Any = pytest.importorskip("tensorflow_serving.apis.predict_pb2")
    model_pb2: Any = pytest.importorskip("tensorflow_serving.apis.model_pb2")
    request: Any = GIVEN["PredictRequest"]
    assert is_part(request, predict_pb2.PredictRequest)
    assert is_part(GIVEN["PredictResponse"], predict_pb2.PredictResponse)
    assert is_part(request().model_spec, model_pb2.ModelSpec)


def test_a_request_survives_its_bytes() -> None:
    request: Any = GIVEN["PredictRequest"]()
    request.model_spec.name, request.model_spec.version_label = "a", "stable"
    request.inputs["x"].float_val.append(1.5)
    again: Any = GIVEN["PredictRequest"].FromString(request.SerializeToString())
    assert again.model_spec.WhichOneof("version_choice") == "version_label"
    assert list(again.inputs["x"].float_val) == [1.5]
