"""The programs that build ONNX models, read them, and count what they cost."""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="python -m pip install 'hotloop[onnx]'")
pytest.importorskip("onnxruntime", reason="python -m pip install 'hotloop[onnx]'")

import onnx
from onnx import parser

from hotloop.judge.onnx.programs import FILES, TRUSTED


@pytest.fixture(scope="module")
def kit() -> Iterator[Any]:
    """Returns a program by its file's name, with the others importable."""
    sys.path.insert(0, str(TRUSTED))
    yield lambda name: __import__(name)
    sys.path.remove(str(TRUSTED))
    for name in FILES:
        sys.modules.pop(name.removesuffix(".py"), None)


@pytest.fixture
def grown(kit: Any) -> Any:
    """Returns a function that makes a model of a motif behind an image of 6 channels."""

    def model(motif: str, seed: int = 1, **settings: Any) -> onnx.ModelProto:
        net = kit("onnx_builder").Builder(np.random.default_rng(seed), **settings)
        x = net.input("x", (2, 6, 5, 5))
        net.outputs.append(kit("onnx_motifs").grow(net, motif, x))
        return net.model()

    return model


def operators(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


@pytest.mark.parametrize(
    ("motif", "operators_made", "stored"),
    [
        ("y = Relu(x)", ["Relu"], 0),
        ("a = Conv(x); y = BatchNormalization(a)", ["Conv", "BatchNormalization"], 5),
        ("y = Conv(x, none, bias)", ["Conv"], 2),
        ("a = Conv(x); y = Conv(x, a_weight)", ["Conv", "Conv"], 1),
        ("a = Mul(gain_1, gain_2); y = Mul(a, x)", ["Mul", "Mul"], 2),
    ],
)
def test_a_motif_is_its_text_and_what_the_text_leaves_out_is_drawn(
    motif: str, operators_made: list[str], stored: int, grown: Any
) -> None:
    model = grown(motif)
    assert operators(model) == operators_made
    assert len(model.graph.initializer) == stored


def test_a_tensor_called_shown_is_an_output_and_an_offered_weight_is_an_input(grown: Any) -> None:
    model = grown("shown = Conv(x, offered); y = Relu(shown)")
    assert [value.name for value in model.graph.output] == ["conv_0_output", "relu_1_output"]
    assert [value.name for value in model.graph.input] == ["x", "offered_0"]


def test_a_missing_bias_is_an_input_without_a_name(grown: Any) -> None:
    (conv,) = grown("y = Conv(x, none, none)").graph.node
    assert list(conv.input)[2:] == [""]


@pytest.mark.parametrize("seed", range(4))
def test_a_tensor_read_inside_of_a_branch_or_a_loop_gives_a_scalar(seed: int, grown: Any) -> None:
    model = grown("a = Inside(x); y = Add(x, a)", seed)
    assert operators(model)[0] in {"If", "Loop"}
    (attribute, *_) = [a for a in model.graph.node[0].attribute if a.type == a.GRAPH]
    assert all(value.type.tensor_type.HasField("shape") for value in attribute.g.output)


def test_names_reveal_nothing_where_they_must_not(grown: Any) -> None:
    model = grown("a = Conv(x); y = BatchNormalization(a)", anonymous=True)
    made = [name for node in model.graph.node for name in (*node.input, *node.output)]
    assert all(name == "x" or name[1:].isdigit() for name in made)


def test_defaults_are_left_out_where_nothing_is_to_be_explicit(grown: Any) -> None:
    (conv,) = grown("y = Conv<group=2>(x)", explicit=0).graph.node
    assert {a.name for a in conv.attribute} == {"group", "pads"}


CHAIN = """<ir_version: 8, opset_import: ["": 17]>
net (float[1, 2, 2, 2] x) => (float[1, 2, 2, 2] y) {
    a = Relu(x) b = Relu(a) c = Relu(b) y = Add(c, a)
}"""


@pytest.mark.parametrize(("stay", "tensors"), [((), 3), (("x",), 4)])
def test_a_tensor_lives_from_its_maker_to_its_last_reader(
    stay: tuple[str, ...], tensors: int, kit: Any
) -> None:
    cost = kit("onnx_cost")
    graph = onnx.shape_inference.infer_shapes(parser.parse_model(CHAIN)).graph
    assert cost.peak_bytes(graph, cost.sizes_of(graph), stay=stay) == tensors * 32


def test_outputs_are_computed_in_float64(kit: Any) -> None:
    model = parser.parse_model(CHAIN)
    x = np.full((1, 2, 2, 2), 1 / 3)
    (y,) = kit("onnx_values").in_float64(model, {"x": x}, ["y"]).values()
    assert y.dtype == np.float64
    assert np.array_equal(y, x + x)


def test_a_session_reads_the_ends_that_were_asked_for(kit: Any, tmp_path: Any) -> None:
    torch = pytest.importorskip("torch")
    runner, path = kit("ort_session"), tmp_path / "model.onnx"
    path.write_bytes(parser.parse_model(CHAIN).SerializeToString())
    x, out = torch.ones(1, 2, 2, 2), torch.zeros(1, 2, 2, 2)
    for ends in ((), ("x", "y")):
        runner.load(str(path), "{}", ends)
        runner.run(x, out)
        assert torch.equal(out, 2 * x)
    runner.load(str(path), "{}", ("x", "table"))
    with pytest.raises(Exception, match="table"):
        runner.run(x, out)
    runner.load(str(path))
    with pytest.raises(ValueError, match="shape"):
        runner.run(x, torch.zeros(2, 2))
