"""The rung about a built engine, where neither TensorRT nor a GPU is: engine_on_cpu.py stands in.

What is shown is what the rung asks, and that it fails who does otherwise. The rung that measures is
not tried so: its numbers would be those of the stand-in. How such a measurement is ruled on is
shown in tests/hotloop/judge/gpu.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop import extras, render
from hotloop.checks.resnet_tensorrt import engines, exports
from hotloop.judge.check import Check
from hotloop.judge.link import Link
from hotloop.judge.program import Program
from hotloop.judge.record import RungRecord
from hotloop.judge.rung import judge_rungs
from hotloop.judge.session import Session
from hotloop.judge.verdict import Verdict

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.timeout(200),
    pytest.mark.skipif(bool(extras.missing("onnx")), reason=extras.remedy("onnx")),
]

HERE = Path(__file__).parent
STAND_IN = HERE / "engine_on_cpu.py"
SMALL = Program({"small_camera.py": HERE / "small_camera.py"}, "small_camera.py")

SessionOver = Callable[..., Session]


@contextmanager
def candidate_worker(session: Session, _card: Any) -> Generator[Link]:
    yield session.worker()


@contextmanager
def trusted_worker(session: Session, files: Path, _card: Any) -> Generator[Link]:
    link = session.trusted(files)
    yield link
    link.close()


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that TensorRT or a card is needed for, in small."""
    for name, stand_in in {
        "require_tensorrt": lambda: None,
        "card_for_three": lambda _session: nullcontext(SimpleNamespace()),
        "candidate_worker": candidate_worker,
        "trusted_worker": trusted_worker,
        "_network": lambda: SMALL,
        "SIDE": 16,
        "CLASSES": 4,
    }.items():
        monkeypatch.setattr(engines, name, stand_in)
    staged = Session.staged

    def with_stand_in(session: Session, files: Mapping[str, Path]) -> Path:
        return staged(session, {**files, "tensorrt.py": STAND_IN})

    monkeypatch.setattr(Session, "staged", with_stand_in)


def judged(session_over: SessionOver, folder: Path, *change: str) -> RungRecord:
    for name, content in render.submission("resnet_tensorrt").items():
        (folder / name).write_bytes(content)
    (folder / "tensorrt.py").write_bytes(STAND_IN.read_bytes())
    if change:
        text = (folder / "export.py").read_text()
        assert text.count(change[0]) == 1
        (folder / "export.py").write_text(text.replace(*change))
    check = Check(exports.ENGINE, {"builds": engines.Builds()})
    (record,) = judge_rungs(check.rungs, session_over(folder).about(check.candidate))
    return record


def test_the_reference_builds_what_is_asked_for(session_over: SessionOver, tmp_path: Path) -> None:
    record = judged(session_over, tmp_path)
    assert record.verdict is Verdict.PASSED, record.sentence


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
