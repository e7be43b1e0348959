"""The judge's rulings on rewritten and quantized files."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="python -m pip install 'hotloop[onnx]'")
pytest.importorskip("onnxruntime", reason="python -m pip install 'hotloop[onnx]'")

import onnx
import onnxruntime

from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.onnx.programs import TRUSTED
from hotloop.judge.onnx.rewrites import SHARE_OF_LARGEST, HiddenGraph
from hotloop.tasks import render
from hotloop.tasks.modules.yolo_on_mobile import quantized, rewriting
from hotloop.tasks.modules.yolo_on_mobile.given_files import PROGRAMS

SETS = 40
WRONG = [wrong for wrong in render.wrong_answers("yolo_on_mobile") if wrong.task == "replace"]


@pytest.fixture
def program(load_file: Callable[[Path], ModuleType], monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The judge's program about rewritten files."""
    monkeypatch.syspath_prepend(str(TRUSTED))
    return load_file(PROGRAMS / "rewriting.py")


@pytest.mark.parametrize("kind", ["activations", "stem"])
def test_an_unchanged_graph_is_wrong(program: ModuleType, kind: str, tmp_path: Path) -> None:
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
    assert program.structure(path, 38) == (0, "its model_version is 37 and should be 38")


def test_a_file_that_is_none_is_wrong(program: ModuleType, tmp_path: Path) -> None:
    (graph,) = program.make(3, 1, "stem")
    path = tmp_path / "pairs.json"
    rubbish = base64.b64encode(b"rubbish").decode()
    path.write_text(json.dumps([[graph["model"], rubbish]]), encoding="utf-8")
    assert "no ONNX model" in program.structure(path)[1]


def test_hidden_activations_come_by_all(program: ModuleType) -> None:
    found = set()
    for graph in program.make(1, rewriting.GRAPHS, "activations"):
        model = onnx.load_model_from_string(base64.b64decode(graph["model"]))
        found |= {node.op_type for node in model.graph.node}
        assert np.isfinite(graph["truth"]).all()
    assert set(program.ACTIVATIONS) <= found


def _is_wrong(
    program: ModuleType, submission: ModuleType, graph: HiddenGraph, folder: Path
) -> bool:
    source, target = folder / "source.onnx", folder / "target.onnx"
    source.write_bytes(graph.model)
    submission.replace_unsupported(str(source), str(target))
    if program.mismatch(onnx.load(source), onnx.load(target)) is not None:
        return True
    ((name, shape),) = graph.inputs.items()
    feeds = {name: graph.fed.reshape(shape).astype(np.float32)}
    (got,) = onnxruntime.InferenceSession(target).run(None, feeds)
    (want,) = graph.truth
    tolerance = Tolerance.of_largest(SHARE_OF_LARGEST, want)
    return compare(got.ravel().astype(np.float64), want, tolerance) is not None


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.name)
def test_each_set_of_graphs_fails_each_wrong_answer(
    wrong: render.WrongAnswer,
    program: ModuleType,
    load_file: Callable[[Path], ModuleType],
    tmp_path: Path,
) -> None:
    path = tmp_path / "rewrites.py"
    path.write_bytes(render.submission("yolo_on_mobile", wrong=wrong.path)["rewrites.py"])
    submission = load_file(path)
    for seed in range(SETS):
        graphs = map(HiddenGraph.of, program.make(seed, rewriting.GRAPHS, wrong.check))
        assert any(_is_wrong(program, submission, g, tmp_path) for g in graphs), seed


GOOD: dict[str, Any] = {
    "external": False,
    "inputs": [["pictures", "FLOAT", ["n", 3, 128, 128]]],
    "outputs": [["table", "FLOAT", ["n", 1008, 11]]],
}
RIGHT = {"activation": "static", "weight": "static"}


def test_mismatches_of_a_quantized_file() -> None:
    assert quantized.mismatch_of(GOOD, [RIGHT] * 60, 0.4) is None
    other_name = [["boxes", *GOOD["outputs"][0][1:]]]
    floats = [RIGHT | {"activation": "float"}] * 10 + [RIGHT] * 50
    for change, kinds, share in (
        ({"external": True}, [RIGHT] * 60, 0.4),
        ({"outputs": other_name}, [RIGHT] * 60, 0.4),
        ({}, [], 0.4),
        ({}, floats, 0.4),
        ({}, [RIGHT] * 60, 0.6),
    ):
        assert quantized.mismatch_of({**GOOD, **change}, kinds, share) is not None


def test_some_may_be_lost() -> None:
    assert quantized.too_much_lost(0.9, 0.88, 0.02) is None
    assert quantized.too_much_lost(0.9, 0.95, 0.02) is None
    assert "0.700" in str(quantized.too_much_lost(0.9, 0.7, 0.02))
    assert quantized.too_much_lost(0.9, float("nan"), 0.02) is not None
    assert "scores" in str(quantized.too_much_lost(0.9, 0.9, 0.2))
    assert quantized.too_much_lost(0.9, 0.9, float("nan")) is not None
