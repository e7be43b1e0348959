"""The given drawing: well-formed, complete, and described in words too."""

import runpy
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from hotloop.core import paths

onnx: Any = pytest.importorskip("onnx", reason="the optional group onnx is not installed")

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def draw() -> Callable[..., Any]:
    return runpy.run_path(str(paths.exercises() / "resnet_tensorrt" / "graph_drawing.py"))["draw"]


@pytest.fixture(scope="module")
def model() -> Any:
    text = """<ir_version: 9, opset_import: ["": 17]>
    g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> {
        [left] a = Relu(x)
        [right] b = Mul(x, w)
        [both] y = Add(a, b)
    }"""
    return onnx.parser.parse_model(text)


def test_every_node_and_end_has_a_box_and_every_read_an_edge(draw: Any, model: Any) -> None:
    root = ElementTree.fromstring(draw(model)._repr_svg_())
    labels = [text.text for text in root.iter(f"{SVG}text")]
    assert labels == ["x", "Relu", "Mul", "Add", "y"]
    assert len(list(root.iter(f"{SVG}path"))) == 5


def test_boxes_do_not_overlap_and_read_from_above(draw: Any, model: Any) -> None:
    root = ElementTree.fromstring(draw(model).svg)
    boxes = [(float(r.get("x", 0)), float(r.get("y", 0))) for r in root.iter(f"{SVG}rect")]
    x, relu, mul, add, y = boxes
    assert len(set(boxes)) == len(boxes)
    assert x[1] < relu[1] == mul[1] < add[1] < y[1]
    assert abs(relu[0] - mul[0]) >= 144


def test_marks_are_drawn_and_told(draw: Any, model: Any) -> None:
    root = ElementTree.fromstring(draw(model, marked=["right"], title="a <b>").svg)
    assert [r.get("stroke-width") for r in root.iter(f"{SVG}rect")].count("2.5") == 1
    told = "3 nodes in 4 layers: 1 Relu, 1 Mul, 1 Add. Marked: Mul right."
    assert root.get("aria-label") == f"a <b>. {told}"


def test_an_edge_over_several_layers_passes_beside_the_boxes(draw: Any) -> None:
    residual = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["": 17]>
    g (float[2] x) => (float[2] y) {
        [first] a = Relu(x)
        [second] b = Tanh(a)
        [sum] y = Add(a, b)
    }""")
    root = ElementTree.fromstring(draw(residual).svg)
    tanh = list(root.iter(f"{SVG}rect"))[2]
    left = float(tanh.get("x", 0))
    straight = [p.get("d", "") for p in root.iter(f"{SVG}path") if "V" in p.get("d", "")]
    assert len(straight) == 1
    x = float(straight[0].split("V")[0].split()[-2])
    assert x < left or x > left + float(tanh.get("width", 0))
