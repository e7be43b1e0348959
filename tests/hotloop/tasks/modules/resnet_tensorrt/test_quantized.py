"""What counts as a network with 8-bit integers, and where its speed can be measured."""

import importlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.correct import Case
from hotloop.judge.dtypes import FP32
from hotloop.judge.onnx.programs import TRUSTED
from hotloop.tasks.modules.resnet_tensorrt import given_files, quantized
from hotloop.tasks.modules.resnet_tensorrt.network_cost import flops


def facts(**changes: Any) -> dict[str, Any]:
    node = {"op": "Conv", "name": "one", "activation": "static", "weight": "static"}
    known: dict[str, Any] = {"external": False, "foreign": [], "unlike": []}
    known["computing"] = [dict(node) for _ in range(54)]
    return known | changes


def with_nodes(count: int, **change: str) -> dict[str, Any]:
    known = facts()
    for node in known["computing"][:count]:
        node.update(change)
    return known


def test_a_whole_network_of_integers_is_accepted() -> None:
    assert quantized.mismatch_of(facts(), 290, 1000) is None
    assert quantized.mismatch_of(with_nodes(2, weight="float"), 290, 1000) is None


@pytest.mark.parametrize(
    ("known", "size", "said"),
    [
        (facts(external=True), 290, "another file"),
        (facts(foreign=["If"]), 290, "'If'"),
        (facts(unlike=["head"]), 290, "'head'"),
        (facts(computing=[]), 290, "0 nodes"),
        (with_nodes(3, weight="float"), 290, "its weights are floats"),
        (with_nodes(54, activation="float"), 290, "what goes into it is a float"),
        (with_nodes(54, activation="dynamic"), 290, "scaled anew"),
        (facts(), 310, "0.31 of the float32"),
    ],
)
def test_others_are_not(known: dict[str, Any], size: int, said: str) -> None:
    mismatch = quantized.mismatch_of(known, size, 1000)
    assert mismatch is not None
    assert said in mismatch


def test_rounded_and_folded_weights_are_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TRUSTED))
    monkeypatch.syspath_prepend(str(given_files.PROGRAMS))
    weights = importlib.import_module("quantized_weights")
    rng = np.random.default_rng(0)
    source, other = rng.normal(0, 1, (2, 8, 4, 3, 3))
    folded = source * rng.uniform(-2, 2, (8, 1, 1, 1))
    folded[0] *= 1e-3
    step = np.full_like(folded, np.abs(folded).max() / 127)
    rounded = step * np.rint(folded / step)
    layers = [("rounded", (rounded, step)), ("other", (other, 0 * step))]
    assert weights.unlike(layers, [source, other]) == []
    assert weights.unlike(layers, [other]) == ["rounded"]
    assert weights.unlike(layers, [source]) == ["other"]
    assert weights.unlike([layers[0], layers[0]], [source]) == ["rounded"]
    assert weights.unlike([("none", None)], [source]) == ["none"]
    assert weights.unlike([("turned", (rounded.swapaxes(2, 3), step))], [source]) == ["turned"]


def test_a_few_lost_signs_are_allowed() -> None:
    assert quantized.too_many_lost(1080, 1060, 1200) is None
    assert quantized.too_many_lost(1080, 1100, 1200) is None
    assert quantized.too_many_lost(1080, 1049, 1200) is not None


def test_logits_of_another_network_are_too_far_away() -> None:
    want = np.random.default_rng(0).normal(0, 3, (8, 10))
    case = Case("a call", (), TensorSpec((8, 10), FP32))
    assert quantized.distant(case, want * 1.05, want) is None
    assert quantized.distant(case, want[::-1], want) is not None
    assert quantized.distant(case, want * np.nan, want) is not None


@pytest.mark.parametrize(
    ("flags", "can"),
    [
        ("flags : fpu sse avx2 avx512f avx512_vnni", True),
        ("flags : fpu sse avx2 avx_vnni", True),
        ("Features : fp asimd asimddp", True),
        ("flags : fpu sse avx2 avx512f", False),
        ("", False),
    ],
)
def test_a_processor_that_multiplies_bytes_is_known_by_its_flags(
    flags: str, can: bool, tmp_path: Path
) -> None:
    cpu = tmp_path / "cpuinfo"
    cpu.write_text(flags)
    assert quantized.multiplies_bytes(cpu) is can


def test_without_such_a_processor_nothing_is_measured(tmp_path: Path, session_over: Any) -> None:
    check = partial(quantized.fast, cpu=tmp_path / "none")
    record = judge_check(
        "fast_cpu", check, session_over().about(Candidate("quantize", "quantize.py", "json"))
    )
    assert record.verdict is Verdict.NOT_MEASURED
    assert "VNNI" in record.sentence


def test_the_cost_is_that_of_resnet_50() -> None:
    """4.09 billion multiply-adds for an image of 224 × 224, as torchvision states."""
    with_ten_classes = flops(1, 224, width=64) / 2
    assert with_ten_classes + 2048 * 990 == pytest.approx(4.09e9, rel=0.005)
