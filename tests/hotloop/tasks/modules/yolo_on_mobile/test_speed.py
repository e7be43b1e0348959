"""The cost of a frame, which tables count as equal, and the checks about an engine.

Without TensorRT and a GPU: the stand-in computes engines on the CPU. Shows what the check requires,
and that it fails other answers. The check that measures is not tested this way: its numbers would
be those of the stand-in.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from hotloop.core import extras, paths
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.check import judge_check
from hotloop.judge.checks.correct import Case
from hotloop.judge.gpu import engine
from hotloop.judge.session import Session
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.modules.yolo_on_mobile import engines, network_cost, speeds, tasks
from hotloop.tasks.task_spec import task_spec

NO_ONNX = pytest.mark.skipif(bool(extras.missing("onnx")), reason=extras.remedy("onnx"))
CASE: Any = Case("", (), speeds.spec(32, 32).out)

SessionOver = Callable[..., Session]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(128, 128), (384, 640)])
def test_a_picture_costs_what_pytorch_counts(
    load_file: Callable[[Path], ModuleType], size: tuple[int, int]
) -> None:
    module = load_file(paths.exercises() / "yolo_on_mobile" / "detector.py")
    with FlopCounterMode(display=False) as counted, torch.inference_mode():
        maps = module.load()(torch.zeros(1, 3, *size))
    assert counted.get_total_flops() == network_cost.flops(*size)
    assert sum(m.shape[2] * m.shape[3] * 3 for m in maps) == network_cost.boxes(*size)


def test_tables_that_are_near_are_the_same_and_others_are_not() -> None:
    want = np.random.default_rng(1).uniform(0, 600, (1, 5, 11))
    assert speeds.disagreement(CASE, want + 0.01 * (np.arange(11) < 4), want) is None
    for place, change in (((0, 2, 1), 0.1), ((0, 2, 7), 0.01), ((0, 0, 0), np.nan)):
        got = want.copy()
        got[place] += change
        said = speeds.disagreement(CASE, got, want)
        assert said is not None
        assert f"row {place[1]}" in said


def test_pictures_have_edges_and_hostile_ones_go_beyond() -> None:
    rng = np.random.default_rng(1)
    calm, hostile = (speeds.tiles(rng, (2, 3, 64, 96), wild) for wild in (False, True))
    assert calm.shape == hostile.shape == (2, 3, 64, 96)
    assert 0 <= calm.min() < calm.max() <= 1
    assert hostile.max() > 1.5


def test_an_engine_may_be_off_as_far_as_ten_bits_are() -> None:
    want = np.full((1, 2, 11), 0.5)
    assert engines.mismatch(CASE, want + 0.01, want) is None
    for place, change in (((0, 0, 0), 3.0), ((0, 0, 9), 0.1), ((0, 1, 4), np.nan)):
        got = want.copy()
        got[place] += change
        assert engines.mismatch(CASE, got, want) is not None


@pytest.fixture
def no_gpu(
    monkeypatch: pytest.MonkeyPatch,
    engines_on_cpu: Callable[[Path], None],
    tmp_path: Path,
) -> None:
    """Makes the check need neither TensorRT nor a GPU, with small images and batches."""
    engines_on_cpu(tmp_path)
    monkeypatch.setattr(engines, "DEVICE", "cpu")
    monkeypatch.setattr(engines, "SIZE", (64, 96))
    monkeypatch.setattr(engines, "BATCHES", (1, 2, 3))


def judge_engine(session: Session) -> CheckRecord:
    candidate = tasks.speed.candidate(task_spec(load_module("yolo_on_mobile"), "speed"))
    return judge_check("engine", tasks.speed.checks["engine"], session.about(candidate))


def judged(session_over: SessionOver, folder: Path, *change: str) -> CheckRecord:
    for name, content in render.submission("yolo_on_mobile").items():
        (folder / name).write_bytes(content)
    if change:
        text = (folder / "speed.py").read_text()
        assert text.count(change[0]) == 1
        (folder / "speed.py").write_text(text.replace(*change))
    return judge_engine(session_over(folder))


@NO_ONNX
@pytest.mark.sandbox
@pytest.mark.usefixtures("no_gpu")
def test_the_reference_builds_what_is_asked_for(session_over: SessionOver, tmp_path: Path) -> None:
    record = judged(session_over, tmp_path)
    assert record.verdict is Verdict.PASSED, record.sentence


@NO_ONNX
@pytest.mark.sandbox
@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        pytest.param("(most, *rest)", "(usual, *rest)", "no profile for (3, 3, 64, 96)", id="few"),
        pytest.param(
            "write_bytes(engine)",
            "write_bytes(Path(source).read_bytes())",
            "does not read this file as an engine",
            id="the model itself",
        ),
    ],
)
def test_who_builds_another_one_is_told_so(
    right: str, wrong: str, said: str, session_over: SessionOver, tmp_path: Path
) -> None:
    record = judged(session_over, tmp_path, right, wrong)
    assert record.verdict in {Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR}
    assert said in record.sentence


def test_without_tensorrt_nothing_is_measured(session_over: SessionOver, tmp_path: Path) -> None:
    if find_spec("tensorrt") is not None:
        pytest.skip("TensorRT is installed")
    (tmp_path / "speed.py").write_text("prepare = None")
    record = judge_engine(session_over(tmp_path))
    assert record.verdict is Verdict.NOT_MEASURED
    assert engine.REMEDY in record.sentence
