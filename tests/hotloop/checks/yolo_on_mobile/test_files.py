"""What the judge says of files: rewritten ones, quantized ones, and what an audit finds."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

pytest.importorskip("onnx", reason="python -m pip install 'hotloop[onnx]'")
pytest.importorskip("onnxruntime", reason="python -m pip install 'hotloop[onnx]'")

import onnx

from hotloop.checks.yolo_on_mobile import audits, quantized, rewriting


@pytest.fixture
def program(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    """What the judge has run about rewritten files."""
    return load_file(rewriting.HARNESS / "rewriting.py")


@pytest.fixture
def auditing(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    """What the judge has run about a model's figures."""
    return load_file(rewriting.HARNESS / "auditing.py")


@pytest.mark.parametrize("kind", ["activations", "stem"])
def test_an_unchanged_graph_is_complained_of(
    program: ModuleType, kind: str, tmp_path: Path
) -> None:
    graphs = program.make(3, 4, kind)
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([[g["model"], g["model"]] for g in graphs]), encoding="utf-8")
    index, said = program.structure(path)
    assert index == 0
    assert "is still in it" in said


def test_a_rewritten_graph_has_the_version_that_is_asked(
    program: ModuleType, tmp_path: Path
) -> None:
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Relu", ["x"], ["y"])],
        "net",
        [value("x", onnx.TensorProto.FLOAT, [1])],
        [value("y", onnx.TensorProto.FLOAT, [1])],
    )
    opset = [onnx.helper.make_opsetid("", program.OPSET)]
    made = onnx.helper.make_model(graph, opset_imports=opset, ir_version=9, model_version=37)
    text = base64.b64encode(made.SerializeToString()).decode()
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([[text, text]]), encoding="utf-8")
    assert program.structure(path) is None
    assert program.structure(path, 37) is None
    assert program.structure(path, 38) == [0, "its model_version is 37 and should be 38"]


def test_a_file_that_is_none_is_complained_of(program: ModuleType, tmp_path: Path) -> None:
    (graph,) = program.make(3, 1, "stem")
    path = tmp_path / "pairs.json"
    rubbish = base64.b64encode(b"rubbish").decode()
    path.write_text(json.dumps([[graph["model"], rubbish]]), encoding="utf-8")
    assert "refuses" in program.structure(path)[1]


def test_truth_agrees_with_itself_and_not_with_another(program: ModuleType) -> None:
    one, other = program.make(5, 2, "activations")
    assert rewriting.disagreement(one["truth"], one["truth"]) is None
    assert rewriting.disagreement([x + 1 for x in one["truth"]], one["truth"]) is not None
    assert rewriting.disagreement([float("nan")] * len(one["truth"]), one["truth"]) is not None
    assert rewriting.disagreement(other["truth"][:-1], one["truth"]) is not None


def test_hidden_activations_come_by_all(program: ModuleType) -> None:
    found = set()
    for graph in program.make(1, rewriting.GRAPHS, "activations"):
        model = onnx.load_model_from_string(base64.b64decode(graph["model"]))
        found |= {node.op_type for node in model.graph.node}
        assert np.isfinite(graph["truth"]).all()
    assert set(program.ACTIVATIONS) <= found


AUDITED = """<ir_version: 9, opset_import: ["": 18]>
g (float[1, 2, 4, 4] x) => (float[1, 2, 4, 4] y) <float[2, 2, 1, 1] w = {1, 2, 3, 4}> {
    [a] p = Conv(x, w)
    [b] q = Sigmoid(p)
    [c] y = Mul(p, q)
}"""


def test_figures_of_a_small_model(auditing: ModuleType) -> None:
    model = onnx.parser.parse_model(AUDITED)
    figures = auditing._figures(model, 100, {"Conv": {"largest_kernel": 1}, "Mul": {}})
    # One tensor has 128 bytes. p crosses to the CPU for b, q to the delegate for c; x and y cross.
    assert figures == {
        "refused": ["b"],
        "segments": 2,
        "bytes": 100,
        "peak_bytes": 384,
        "crossing_bytes": 512,
    }


def test_puzzles_have_broken_limits_and_kept_ones(auditing: ModuleType) -> None:
    over = [puzzle["figures"]["over"] for puzzle in auditing.puzzles(2, audits.PUZZLES)]
    assert any(over)
    assert any(len(each) < 4 for each in over)


def test_complaints_about_an_audit() -> None:
    want = {"refused": ["a", "b"], "segments": 2}
    assert audits.complaint(want, {"refused": ["b", "a"], "segments": 2}) is None
    assert audits.complaint(want, {"refused": ["a"], "segments": 2}) is not None
    assert audits.complaint(want, {"refused": ["a", "b"], "segments": True}) is not None
    assert audits.complaint(want, [1]) is not None


GOOD = {
    "external": False,
    "inputs": ["pictures"],
    "outputs": ["table"],
    "convolutions": [["static", "static"]] * 60,
}
GIVEN = quantized.Material(b"x" * 1000, b"")


def test_complaints_about_a_quantized_file() -> None:
    assert quantized.complaint_about(GOOD, 400, GIVEN) is None
    floats = [["float", "static"]] * 10 + [["static", "static"]] * 50
    for change, size in (
        ({"external": True}, 400),
        ({"outputs": ["boxes"]}, 400),
        ({"convolutions": []}, 400),
        ({"convolutions": floats}, 400),
        ({}, 600),
    ):
        assert quantized.complaint_about({**GOOD, **change}, size, GIVEN) is not None


def test_some_may_be_lost() -> None:
    assert quantized.lost_complaint(0.9, 0.88, 0.02) is None
    assert quantized.lost_complaint(0.9, 0.95, 0.02) is None
    assert "0.700" in str(quantized.lost_complaint(0.9, 0.7, 0.02))
    assert quantized.lost_complaint(0.9, float("nan"), 0.02) is not None
    assert "scores" in str(quantized.lost_complaint(0.9, 0.9, 0.2))
    assert quantized.lost_complaint(0.9, 0.9, float("nan")) is not None
