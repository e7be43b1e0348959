"""An archive is read as data, and nothing executable is passed on."""

import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotloop.tasks.modules.control_flow_export import decoding, models
from hotloop.tasks.modules.control_flow_export.given_files import PROGRAMS

sys.path.append(str(PROGRAMS))
import archive_reading

SYMBOL = "Symbol('s0', positive=True, integer=True)"


def model(target: str = "torch.ops.aten.add.Tensor", size: str = SYMBOL) -> dict[str, Any]:
    sizes = [{"as_expr": {"expr_str": size}}, {"as_int": 8}]
    graph = {
        "nodes": [{"target": target, "inputs": []}],
        "tensor_values": {"tokens": {"dtype": 5, "sizes": sizes}},
    }
    signature = {
        "input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "tokens"}}}}],
        "output_specs": [{"user_output": {}}],
    }
    return {
        "graph_module": {"graph": graph, "signature": signature},
        "range_constraints": {"s0": {"min_val": 0, "max_val": 64}},
        "guards_code": ["import os"],
    }


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def write(
        content: dict[str, Any] | None = None, pickled: bool = False, **others: bytes
    ) -> dict[str, Any]:
        weight = {"use_pickle": pickled, "path_name": "weight_0"}
        parts = {
            "models/model.json": json.dumps(content or model()).encode(),
            "data/weights/model_weights_config.json": json.dumps(
                {"config": {"w": weight}}
            ).encode(),
            "data/weights/weight_0": b"1234",
            "data/constants/model_constants_config.json": b'{"config": {}}',
            "data/sample_inputs/model.pt": b"theirs",
            **{name.replace("__", "/"): data for name, data in others.items()},
        }
        path, sample = tmp_path / "model.pt2", tmp_path / "sample.pt"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in parts.items():
                archive.writestr(f"model/{name}", data)
        sample.write_bytes(b"ours")
        return archive_reading.facts(str(path), str(sample))

    return write


def test_a_sound_archive_is_described_and_copied_clean(written: Callable[..., Any]) -> None:
    facts = written()
    assert facts["unsound"] is None
    assert facts["inputs"] == [[5, ["s0", 8]]]
    assert facts["symbols"] == 1
    with zipfile.ZipFile(facts["clean"]) as clean:
        assert clean.read("clean/data/sample_inputs/model.pt") == b"ours"
        assert json.loads(clean.read("clean/models/model.json"))["guards_code"] == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (model(target="os.system"), "no operator of PyTorch's"),
        (model(target="torch.hub.load"), "no operator of PyTorch's"),
        (model(target="torch.ops.shop.largest.default"), "no operator of PyTorch's"),
        (model(target="torch.ops.higher_order.call_torchbind"), "no operator of PyTorch's"),
        (model(size="().__class__"), "no formula"),
        (model(size="exec('1')"), "no formula"),
        (model(size="s0.func"), "no formula"),
    ],
)
def test_what_could_run_is_refused(
    written: Callable[..., Any], content: dict[str, Any], message: str
) -> None:
    assert message in written(content)["unsound"]


@pytest.mark.parametrize(
    "operator",
    ["cond", "while_loop", "scan", "map_impl", "wrap_with_set_grad_enabled", "wrap_with_autocast"],
)
def test_operators_that_run_graphs_of_the_archive_are_pytorchs_own(
    written: Callable[..., Any], operator: str
) -> None:
    assert written(model(target=f"torch.ops.higher_order.{operator}"))["unsound"] is None


def test_objects_and_foreign_members_are_refused(written: Callable[..., Any]) -> None:
    assert "Python object" in written(pickled=True)["unsound"]
    assert "no exported program" in written(data__aotinductor__model__x=b"x")["unsound"]


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    path.write_bytes(b"PK nothing")
    assert "no archive" in archive_reading.facts(str(path), str(path))["unsound"]


@pytest.mark.parametrize(
    ("size", "ranges", "message"),
    [
        (4, {}, "n is fixed at 4"),
        ("s0", {"s0": [2, 64]}, "at least 2"),
        ("s0", {"s0": [0, 32]}, "at most 32"),
        ("s0", {"s0": [0, 64]}, None),
        ("s0", {"s0": [1, None]}, None),
        ("s0", {}, None),
    ],
)
def test_a_size_is_free_or_it_is_not(
    size: Any, ranges: dict[str, Any], message: str | None
) -> None:
    mismatch = models._not_free("n", 64, size, ranges)
    assert (mismatch is None) if message is None else message in str(mismatch)


STEP = {
    "unsound": None,
    "inputs": [[kind, list(shape)] for kind, shape in decoding.INPUTS],
    "symbols": 0,
    "targets": ["torch.ops.aten.index_copy_.default"],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, None),
        ({"symbols": 3}, "one size"),
        ({"targets": ["torch.ops.aten.item.default"]}, "cannot wait"),
        ({"targets": ["torch.ops.higher_order.cond"]}, "cannot wait"),
        ({"targets": ["torch.ops.higher_order.while_loop"]}, "cannot wait"),
        ({"targets": ["torch.ops.higher_order.wrap_with_set_grad_enabled"]}, None),
        ({"inputs": STEP["inputs"][:3]}, "3 inputs"),
        ({"inputs": [[7, [4]], *STEP["inputs"][1:]]}, "token"),
        ({"unsound": "it is far larger"}, "far larger"),
    ],
)
def test_a_step_has_fixed_shapes_and_decides_nothing(
    change: dict[str, Any], message: str | None
) -> None:
    mismatch = decoding.fixed({**STEP, **change})
    assert (mismatch is None) if message is None else message in str(mismatch)
