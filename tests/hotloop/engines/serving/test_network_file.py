"""An ONNX file is its weights and the rest of it, put together."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

from hotloop.engines.serving import network_file

TABLE = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save = pytest.importorskip("safetensors.numpy").save
    weights = {"a": TABLE, "b": TABLE[0].astype(np.float16), "second.b": TABLE[2].astype("f2")}
    (tmp_path / network_file.WEIGHTS).write_bytes(save(weights, {"about": "nothing"}))
    parts = [
        base64.b64encode(b"begin").decode(),
        {"tensor": "a", "type": "float16", "rows": 2, "transposed": True},
        base64.b64encode(b"between").decode(),
        {"tensor": "b", "type": "float32"},
    ]
    (tmp_path / network_file.GRAPH).write_text(json.dumps(parts))
    return tmp_path


def file_with(bias: list[float]) -> bytes:
    table = np.array([[0, 2], [1, 3]], np.float16)
    return b"begin" + table.tobytes() + b"between" + np.array(bias, np.float32).tobytes()


def test_tensors_stand_between_the_other_parts(folder: Path) -> None:
    assert network_file.onnx_file(folder) == file_with([0, 1])


def test_another_version_has_what_its_prefix_names_and_shares_the_rest(folder: Path) -> None:
    assert network_file.onnx_file(folder, "second.") == file_with([4, 5])
    assert network_file.onnx_file(folder, "third.") == network_file.onnx_file(folder)


def test_tensors_are_those_that_were_stored(folder: Path) -> None:
    found = network_file.tensors((folder / network_file.WEIGHTS).read_bytes())
    assert sorted(found) == ["a", "b", "second.b"]
    assert found["a"].dtype == np.float32
    assert np.array_equal(found["a"], TABLE)
    assert found["b"].tolist() == [0, 1]
