"""Made traces say what was drawn, by two ways of computing it; timers are judged by the truth."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop import paths, trace
from hotloop.checks.profile_training_loop import clocks, traces
from hotloop.checks.profile_training_loop.made_trace import MadeTrace


@pytest.mark.parametrize("streams", [0, 1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_reader_finds_what_was_drawn(tmp_path: Path, streams: int, seed: int) -> None:
    made = MadeTrace(np.random.default_rng(seed), streams)
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(made.document()))
    found = vars(traces.figures_of(trace.read(path)))
    want = made.figures()
    names = {key for key, value in want.items() if value is None or isinstance(value, str)}
    assert {key: found[key] for key in names} == {key: want[key] for key in names}
    assert {key: found[key] for key in want if key not in names} == pytest.approx(
        {key: value for key, value in want.items() if key not in names}, rel=1e-9
    )


def test_each_wrong_figure_is_named() -> None:
    made = MadeTrace(np.random.default_rng(2), streams=2)
    right = made.figures()
    assert traces.Figures(**right).complaint(right) is None
    for key, value in right.items():
        wrong = {**right, key: "no such op" if isinstance(value, str) else value * 1.05 + 1}
        complaint = traces.Figures(**right).complaint(wrong)
        assert complaint is not None
        assert complaint.startswith(key)
    assert traces.Figures(**right).complaint([1, 2]) == "It returned [1, 2], not a dict"


def test_none_is_asked_for_where_nothing_was_recorded() -> None:
    right = MadeTrace(np.random.default_rng(2), streams=0).figures()
    assert right["gpu_idle_share"] is None
    assert traces.Figures(**right).complaint({**right, "gpu_idle_share": 1.0}) is not None


@pytest.fixture
def device() -> Any:
    """The module's Device, as a learner has it."""
    folder = str(paths.solutions() / "profile_training_loop")
    sys.path.insert(0, folder)
    try:
        import software_device

        return software_device.Device
    finally:
        sys.path.remove(folder)
        sys.modules.pop("software_device", None)


@pytest.mark.parametrize("reads", [True, False])
def test_the_judge_and_the_device_agree_on_a_loop(device: Any, reads: bool) -> None:
    loop = clocks.Loop(1.5, (3.0, 5.0, 0.25), reads)
    one = device()
    for _ in range(30):
        one.compute(loop.load)
        for work in loop.work:
            one.submit(work)
        if reads:
            one.synchronize()
    one.synchronize()
    assert one.clock() / 30 == pytest.approx(loop.mean_step(30))
    assert device.submitting == clocks.SUBMITTING


def test_questions_ask_for_loops_of_all_kinds() -> None:
    asked = list(clocks.questions(np.random.default_rng(4)))
    assert {question.arguments[-1] for question in asked} == {True, False}
    assert any(float(question.arguments[2]) > 100 for question in asked)
    assert all(question.complaint({}) is not None for question in asked)
