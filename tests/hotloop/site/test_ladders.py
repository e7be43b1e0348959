"""Ladders: each version has its time from a run or none, and each ladder is shown once."""

import re
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.site import ladders
from hotloop.site.bounds import CARDS, bounds
from hotloop.site.ladders import Ladder, Version
from hotloop.tasks import curriculum
from hotloop.tasks.recorded import recorded

MODULES = [module.id for module in curriculum.modules()]
LADDERS = [(module, ladder) for module in MODULES for ladder in ladders.ladders(module)]
HELD_OFF = {"implausible", "wrong_answer"}
"""Verdicts of answers that leave work out, which may be faster than anything right."""


def test_there_is_a_ladder_for_each_kernel_that_several_modules_teach() -> None:
    kernels = {"softmax", "reduction", "transpose", "gemm", "attention", "decode"}
    assert {ladder.id for _, ladder in LADDERS} >= kernels


@pytest.mark.parametrize(("module", "ladder"), LADDERS, ids=lambda each: getattr(each, "id", each))
def test_a_ladder_is_shown_once_and_names_checks_that_exist(module: str, ladder: Ladder) -> None:
    text = (paths.curriculum() / module / "lesson.md").read_text(encoding="utf-8")
    assert re.findall(ladders.PLACE, text).count(ladder.id) == 1
    for version in ladder.versions:
        assert version.check or version.counted
        if version.check:
            of, task, check = version.check.split(".")
            entries = curriculum.load_module(of).task(task).checks
            assert check in {entry.id for entry in entries if entry.needs_gpu}


def test_a_lesson_names_no_ladder_that_is_missing() -> None:
    with pytest.raises(KeyError, match="no_such"):
        ladders.insert("<!-- ladder: no_such -->", "fused_softmax")


def test_a_version_without_a_run_is_not_measured() -> None:
    version = Version(version="v", counted="9 bytes", why="w")
    assert ladders.row(version) == ("v", "9 bytes", *["not measured"] * 3, "w")


@pytest.mark.slow
def test_the_times_are_those_of_the_run() -> None:
    """And the baseline's rate is the reference's, by their times."""
    text = ladders.insert("<!-- ladder: softmax -->", "fused_softmax")
    (run,) = [run for run in recorded("fused_softmax").values() if run.kind == "gpu"]
    (m,) = [
        m
        for m in run.measurements
        if (m.candidate, m.task, m.check) == ("reference", "cuda_warp", "gpu_fast")
    ]
    assert m.p50_ms is not None
    assert m.gb_per_s is not None
    assert m.baseline_p50_ms is not None
    assert f"| {m.p50_ms:.3g} ms | {m.gb_per_s:,.0f} GB/s |" in text
    copied = m.gb_per_s * m.p50_ms / m.baseline_p50_ms
    assert f"| {m.baseline_p50_ms:.3g} ms | {copied:,.0f} GB/s |" in text
    assert text.count("not measured | not measured | not measured") == 2


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_no_recorded_time_is_below_the_bound(module: str) -> None:
    """Of the reference, of its baseline, and of each wrong answer that computes everything."""
    least = {(bound.task, bound.check): bound for bound in bounds(curriculum.load_module(module))}
    for run in recorded(module).values():
        card = next((card for card in CARDS if card.name.split()[0] in run.device.split()), None)
        if run.kind != "gpu" or card is None:
            continue
        for m in run.measurements:
            bound = least.get((m.task, m.check))
            if bound is None or m.p50_ms is None or m.verdict in HELD_OFF:
                continue
            assert m.p50_ms >= bound.milliseconds(card), (run.device, m.candidate, m.task)
            assert m.baseline_p50_ms is not None
            assert m.baseline_p50_ms >= bound.milliseconds(card), (run.device, m.task)


def test_a_run_below_the_bound_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = [run for run in recorded("fused_softmax").values() if run.kind == "gpu"]
    fast = [m.model_copy(update={"p50_ms": 0.01}) for m in run.measurements if m.p50_ms]
    monkeypatch.setitem(
        test_no_recorded_time_is_below_the_bound.__globals__,
        "recorded",
        lambda _module: {"fast": run.model_copy(update={"measurements": fast})},
    )
    with pytest.raises(AssertionError, match="NVIDIA H200"):
        test_no_recorded_time_is_below_the_bound("fused_softmax")
