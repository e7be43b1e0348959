"""The check about a built engine, without TensorRT and a GPU: engine_on_cpu.py stands in.

Shows what the check requires, and that it fails other answers. The check that measures is not
tested this way: its numbers would be those of the stand-in. Rulings on such measurements are tested
in tests/hotloop/judge/gpu.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hotloop.core import extras
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.check import judge_check
from hotloop.judge.program import Program
from hotloop.judge.session import Session
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.modules.resnet_tensorrt import engines, tasks
from hotloop.tasks.task_spec import task_spec

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.timeout(200),
    pytest.mark.skipif(bool(extras.missing("onnx")), reason=extras.remedy("onnx")),
]

HERE = Path(__file__).parent
SMALL = Program({"small_camera.py": HERE / "small_camera.py"}, "small_camera.py")

SessionOver = Callable[..., Session]


@pytest.fixture(autouse=True)
def no_gpu(
    monkeypatch: pytest.MonkeyPatch,
    engines_on_cpu: Callable[[Path], None],
    tmp_path: Path,
) -> None:
    """Makes the check need neither TensorRT nor a GPU, with a small network."""
    engines_on_cpu(tmp_path)
    monkeypatch.setattr(engines, "_network", lambda: SMALL)
    reference = engines._oracle().function("run", engines.mismatch)
    truth = replace(engines.BUILDS.truth, reference=reference)
    monkeypatch.setattr(engines, "BUILDS", replace(engines.BUILDS, truth=truth))
    monkeypatch.setattr(engines, "SIDE", 16)
    monkeypatch.setattr(engines, "CLASSES", 4)


def judged(session_over: SessionOver, folder: Path, *change: str) -> CheckRecord:
    for name, content in render.submission("resnet_tensorrt").items():
        (folder / name).write_bytes(content)
    if change:
        text = (folder / "export.py").read_text()
        assert text.count(change[0]) == 1
        (folder / "export.py").write_text(text.replace(*change))
    candidate = tasks.engine.candidate(task_spec(load_module("resnet_tensorrt"), "engine"))
    return judge_check(
        "builds", tasks.engine.checks["builds"], session_over(folder).about(candidate)
    )


def test_the_reference_builds_what_is_asked_for(session_over: SessionOver, tmp_path: Path) -> None:
    record = judged(session_over, tmp_path)
    assert record.verdict is Verdict.PASSED, record.sentence
    assert record.evidence["bytes"] > 0


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        pytest.param(
            "write_bytes(config.get_timing_cache().serialize())",
            'write_bytes(b"")',
            "The timing cache is empty",
            id="no timings",
        ),
        pytest.param(
            "for batch in (SMALLEST, USUAL, LARGEST)",
            "for batch in (USUAL, USUAL, USUAL)",
            "no profile for (1, 16, 16, 3)",
            id="one batch only",
        ),
        pytest.param(
            "keep_io_types=True",
            "keep_io_types=True, max_finite_val=0.5",
            "a logit is wrong",
            id="weights cut off",
        ),
        pytest.param(
            "Path(target).write_bytes(engine)",
            "Path(target).write_bytes(model)",
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
