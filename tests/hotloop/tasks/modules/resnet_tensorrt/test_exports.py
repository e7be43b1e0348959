"""The judge of the exports: the reference passes, and each wrong answer fails its check."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core import extras, paths
from hotloop.core.verdict import Verdict
from hotloop.judge.check import judge_checks
from hotloop.judge.onnx.programs import TRUSTED
from hotloop.judge.session import Session
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.modules.resnet_tensorrt import given_files, jetson_nano, tasks
from hotloop.tasks.modules.resnet_tensorrt.exported_files import (
    end_mismatch,
    whole,
    without_the_network,
)
from hotloop.tasks.modules.resnet_tensorrt.float16_conversion import unlike
from hotloop.tasks.modules.resnet_tensorrt.network_cost import kernels, last_layer
from hotloop.tasks.reference_files import sources
from hotloop.tasks.task_spec import task_spec

MODULE = "resnet_tensorrt"
SOURCES = sources(MODULE)
BESIDE = ("resnet.py", "signs.py", "resnet50_signs.safetensors")

SessionOver = Callable[..., Session]
Programs = Callable[[str], ModuleType]
needs_onnx = pytest.mark.skipif(
    bool(extras.missing("onnx")), reason="the group onnx is not installed"
)


# --- the judge over whole submissions -------------------------------------------------------------


@needs_onnx
def test_the_engine_task_says_what_is_missing(session_over: SessionOver, tmp_path: Path) -> None:
    if importlib.util.find_spec("tensorrt") is not None:
        pytest.skip("TensorRT is installed: the other checks are measured")
    for name in (*BESIDE, "jetson_nano.json", "export.py"):
        (tmp_path / name).write_bytes(SOURCES[name].read_bytes())
    candidate = tasks.engine.candidate(task_spec(load_module(MODULE), "engine"))
    session = session_over(tmp_path, budget_s=600.0).about(candidate)
    records = {record.check: record for record in judge_checks(tasks.engine.checks, session)}
    assert records["half"].verdict is Verdict.PASSED, records["half"].sentence
    for name in ("builds", "gpu_fast"):
        assert records[name].verdict is Verdict.NOT_MEASURED
    assert "pip install tensorrt" in records["builds"].sentence
    assert records["gpu_fast"].sentence == "Skipped until `builds` passes."


# --- memory ---------------------------------------------------------------------------------------


def memory(program: Programs, body: str) -> dict[str, int]:
    """Return the memory of a network whose input and values have 16 pixels, 3 or 5 channels."""
    from onnx import parser

    text = """<ir_version: 8, opset_import: ["": 13]>
        net (float[1, 3, 4, 4] x) => (float[1, 5, 4, 4] y) <float[5, 3, 1, 1] w = {{{zeros}}}>
        {{ a = Conv(x, w) {body} }}"""
    zeros = ", ".join(["0"] * 15)
    model = parser.parse_model(text.format(zeros=zeros, body=body))
    return program("graph_memory").memory(model)


@needs_onnx
def test_a_chain_needs_two_neighbors_and_its_ends(program: Programs) -> None:
    # The input stays; of the values of 5 channels two live at one time.
    needed = memory(program, "b = Relu(a) y = Relu(b)")
    assert needed == {"weights": 4 * 15, "activations": 4 * 16 * (3 + 5 + 5)}


@needs_onnx
def test_a_branch_keeps_its_value_until_the_sum(program: Programs) -> None:
    body = "b = Relu(a) c = Relu(b) y = Add(c, a)"
    assert memory(program, body)["activations"] == 4 * 16 * (3 + 5 * 3)


@needs_onnx
def test_the_reference_agrees_about_drawn_models(
    solution: ModuleType, program: Programs, tmp_path: Path
) -> None:
    made = program("graph_memory")
    for seed in range(10):
        for branches, tail in ((0, 0), (1, 6), (3, 0), (2, 3)):
            model = made.residual(np.random.default_rng(seed), branches, tail)
            (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
            assert solution.memory_for(str(tmp_path / "model.onnx")) == made.memory(model)


# --- the table ------------------------------------------------------------------------------------


def test_every_row_of_the_table_has_a_source() -> None:
    import json

    table = json.loads(SOURCES["jetson_nano.json"].read_text(encoding="utf-8"))
    assert len(table["facts"]) >= 10
    for row in (*table["facts"], *table["constraints"].values()):
        assert row["source"].startswith(("https://", "our own rule")), row
    assert all(row["why"] for row in table["constraints"].values())


def test_the_board_has_no_int8_and_no_operator_of_later_parsers() -> None:
    only = {*jetson_nano.constraints()["operators"]["only"]}
    assert {"Conv", "Gemm", "GlobalAveragePool", "Softmax", "Einsum", "Sign"} <= only
    assert not {"Trilu", "LayerNormalization", "GridSample", "Xor", "Shrink", "Mod"} & only
    assert jetson_nano.constraints()["opset"]["at_most"] == 13


# --- mismatches -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fact", "value", "said"),
    [
        ("external", True, "in another file"),
        ("checker", "no", "onnx.checker"),
        ("foreign", ["com.microsoft"], "not ONNX's own"),
        ("functions", 1, "not ONNX's own"),
        ("training", ["Dropout"], "Dropout was exported as it is in training"),
    ],
)
def test_what_no_file_may_have(fact: str, value: Any, said: str) -> None:
    assert said in (whole({fact: value}, b"") or "")
    assert whole({}, b"") is None


def test_ends_are_looked_at_one_by_one() -> None:
    facts = {"inputs": [["frames", "UINT8", ["batch", 64, 64, 3]]]}
    assert end_mismatch(facts, "inputs", "frames", "UINT8", (64, 64, 3)) is None
    assert "called" in (end_mismatch(facts, "inputs", "x", "UINT8", (64, 64, 3)) or "")
    assert "type" in (end_mismatch(facts, "inputs", "frames", "FLOAT", (64, 64, 3)) or "")
    assert "shape" in (end_mismatch(facts, "inputs", "frames", "UINT8", (3, 64, 64)) or "")
    assert "has 0" in (end_mismatch({}, "inputs", "frames", "UINT8", ()) or "")


def test_a_file_holds_the_whole_network() -> None:
    layers = [["Conv", list(shape), "FLOAT"] for shape in kernels()]
    head = ["Gemm", list(last_layer()), "FLOAT"]
    assert len(layers) == 53
    assert without_the_network({"products": [*layers, head]}) is None
    turned = ["MatMul", list(reversed(last_layer())), ""]
    assert without_the_network({"products": [["Conv", [3, 3, 1, 1], ""], *layers, turned]}) is None
    assert "53 convolutions 52 lead" in (without_the_network({"products": layers[1:]}) or "")
    assert "last layer" in (without_the_network({"products": layers}) or "")
    assert "53 convolutions 0 lead" in (without_the_network({}) or "")


def test_every_product_of_the_model_is_asked_for() -> None:
    before = {"products": [["Conv", [4, 3, 3, 3], "FLOAT"]] * 2, "operators": ["Conv", "Relu"]}
    half = ["Conv", [4, 3, 3, 3], "FLOAT16"]
    facts = {"products": [half, half], "operators": ["Cast", "Conv", "Relu"]}
    assert unlike(facts, before) is None
    assert "1 products" in (unlike(facts | {"products": [half]}, before) or "")
    assert "'If'" in (unlike(facts | {"operators": ["Conv", "If"]}, before) or "")
    assert "not ONNX's own" in (unlike(facts | {"functions": 1}, before) or "")
    assert "not ONNX's own" in (unlike(facts | {"foreign": ["own"]}, before) or "")


# --- what a file says of itself -------------------------------------------------------------------


@needs_onnx
def test_nothing_is_hidden_behind_many_others_or_an_identity(
    program: Programs, tmp_path: Path
) -> None:
    from onnx import TensorProto, helper, save

    nodes = [helper.make_node("Abs", ["x"], [f"dead_{n}"]) for n in range(70)]
    nodes += [
        helper.make_node("Constant", [], ["far"], value_int=2**40),
        helper.make_node("Constant", [], ["kernel"], value_floats=[1.0]),
        helper.make_node("Mul", ["stored", "kernel"], ["computed"]),
        helper.make_node("Identity", ["computed"], ["handed_on"]),
        helper.make_node("Identity", ["stored"], ["handed_over"]),
        helper.make_node("Conv", ["x", "handed_on"], ["y"]),
        helper.make_node("Conv", ["x", "handed_over"], ["unused"]),
        helper.make_node("Hardmax", ["y"], ["z"]),
    ]
    kernel = helper.make_tensor("stored", TensorProto.FLOAT, [1, 1, 1, 1], [1.0])
    ends = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, 4, 4])]
        for name in ("x", "z")
    ]
    model = helper.make_model(helper.make_graph(nodes, "net", *ends, [kernel]))
    save(model, str(tmp_path / "model.onnx"))
    facts = program("onnx_facts").facts(str(tmp_path / "model.onnx"))
    assert {"Hardmax", "Abs", "Conv"} <= {*facts["operators"]}
    assert facts["computed_kernels"] == 1
    assert facts["beyond_int32"]
    # The second convolution leads nowhere.
    assert facts["products"] == [["Conv", [1, 1, 1, 1], ""]]


# --- the engine's code, with a module that only writes down ---------------------------------------


@pytest.fixture
def solution(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The reference's export.py with the modules beside it; unloaded afterwards."""
    monkeypatch.setattr(sys, "path", [*paths.beside_notebook(MODULE), *sys.path])
    names = ("export", "resnet", "signs", "tensorrt")
    kept = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    yield importlib.import_module("export")
    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update(kept)


@pytest.fixture
def program(load_file: Callable[[Path], ModuleType], monkeypatch: pytest.MonkeyPatch) -> Programs:
    """Returns a function that loads a program's file by name, with its siblings importable."""

    def loaded(name: str) -> ModuleType:
        folders = (given_files.PROGRAMS, TRUSTED)
        monkeypatch.setattr(sys, "path", [*map(str, folders), *sys.path])
        return load_file(next(f for f in folders if (f / f"{name}.py").is_file()) / f"{name}.py")

    return loaded


@pytest.fixture
def fake(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(Path(__file__).with_name("fake_tensorrt.py"))


@pytest.fixture
def model(program: Programs, tmp_path: Path) -> str:
    made = program("graph_memory").residual(np.random.default_rng(3), 1, 2)
    (tmp_path / "model.onnx").write_bytes(made.SerializeToString())
    return str(tmp_path / "model.onnx")


@needs_onnx
@pytest.mark.parametrize(("version", "flags"), [(10, 2), (11, 0)])
def test_the_builder_is_asked_for_what_the_task_says(
    version: int, flags: int, solution: ModuleType, fake: ModuleType, model: str, tmp_path: Path
) -> None:
    _, calls = fake.installed(version)
    cache, target = tmp_path / "timings", tmp_path / "engine"
    solution.build_engine(model, "fp32", str(cache), str(target))
    assert ("network", flags) in calls
    assert ("limit", "workspace", 1 << 30) in calls
    shapes = [(batch, 64, 64, 3) for batch in (1, 32, 64)]
    assert ("profile", "frames", *shapes) in calls
    assert calls.index(("cache", b"")) < calls.index(("build",))
    assert target.read_bytes() == b"an engine"
    solution.build_engine(model, "fp32", str(cache), str(target))
    assert ("cache", b"+timings") in calls
    assert cache.read_bytes() == b"+timings+timings"


@needs_onnx
def test_half_precision_is_in_the_model_and_not_in_a_flag(
    solution: ModuleType, fake: ModuleType, program: Programs, model: str, tmp_path: Path
) -> None:
    _, calls = fake.installed(11)
    facts = program("onnx_facts").facts
    solution.build_engine(model, "fp16", str(tmp_path / "timings"), str(tmp_path / "engine"))
    given = next(call[1] for call in calls if call[0] == "parse")
    (tmp_path / "parsed.onnx").write_bytes(given)
    halves, singles = facts(str(tmp_path / "parsed.onnx")), facts(model)
    assert {kind for _, _, kind in halves["products"]} == {"FLOAT16"}
    assert unlike(halves, singles) is None
    assert "another type" in (unlike(singles, singles) or "")


@needs_onnx
def test_int8_needs_a_quantized_model(
    solution: ModuleType, fake: ModuleType, model: str, tmp_path: Path
) -> None:
    _, calls = fake.installed(11)
    with pytest.raises(ValueError, match="QuantizeLinear"):
        solution.build_engine(model, "int8", str(tmp_path / "timings"), str(tmp_path / "engine"))
    assert not calls


@needs_onnx
def test_what_the_parser_does_not_read_is_said(
    solution: ModuleType, fake: ModuleType, model: str, tmp_path: Path
) -> None:
    fake.installed(11, readable=False)
    with pytest.raises(RuntimeError, match="node 0 is not known"):
        solution.build_engine(model, "fp32", str(tmp_path / "timings"), str(tmp_path / "engine"))
