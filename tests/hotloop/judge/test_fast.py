"""What a speed check measures by itself: the bytes of a call, and the bandwidth of a copy."""

from pathlib import Path

import numpy as np
import pytest

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BF16, FP32
from hotloop.judge.matrices import matrices
from hotloop.judge.rungs.fast import Baseline, Fast
from hotloop.judge.window import TimedWorker

from ..sessions import new_session

WORKLOAD = matrices(64, 512, lambda x: x, Tolerance(0.0, 0.0))
ONLY_COPIES = "def copy(x, out):\n    out.copy_(x)\n"


def test_a_call_moves_each_tensor_once_without_its_gaps() -> None:
    spec = CallSpec((TensorSpec((3, 5), FP32, row_gap=7), 2.0), TensorSpec((3,), BF16))
    assert spec.bytes == 3 * 5 * 4 + 3 * 2


@pytest.mark.parametrize(("text", "copies"), [(ONLY_COPIES, True), ("copy = 1\n", False)])
def test_a_baseline_is_a_file_beside_tasks_py(text: str, copies: bool, tmp_path: Path) -> None:
    (tmp_path / "baseline.py").write_text(text)
    session = new_session(checks=tmp_path)
    assert Baseline("baseline.py", "eager").folder(session) == tmp_path
    assert Baseline("baseline.py", "eager").copies(session) is copies


@pytest.mark.parametrize("text", [ONLY_COPIES, ""], ids=["of its own", "of the judge"])
def test_the_limit_is_measured_with_a_copy(text: str, tmp_path: Path) -> None:
    (tmp_path / "baseline.py").write_text(text + ONLY_COPIES.replace("copy(", "eager("))
    session = new_session(checks=tmp_path)
    rung = Fast(WORKLOAD, Baseline("baseline.py", "eager"))
    side = TimedWorker(
        rung.baseline.start(session), rung.baseline.candidate, WORKLOAD, 1, session.seeds
    )
    try:
        side.plan([WORKLOAD.spec(np.random.default_rng(0), i) for i in range(8)])
        found = rung._copied_per_second(side, session)
    finally:
        side.close()
        session.close()
    assert 1e7 < found < 1e12, "bytes/s of memory or caches"
