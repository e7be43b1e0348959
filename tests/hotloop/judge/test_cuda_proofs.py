"""What is proved of a CUDA kernel stands beside the verdict, and changes none."""

import importlib.util
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core.extras import NO_SOLVER
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.checks import in_simulator
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.in_simulator import InSimulator
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.dtypes import FP32
from hotloop.judge.launcher import Launcher
from hotloop.sandbox.level import level

from ..sessions import new_session

KERNEL = """
__global__ void doubled(const float* x, float* y, int n) {{
  {shared}
  const int i = blockIdx.x * 64 + threadIdx.x;
  if ({guard}) y[{where}] = 2 * x[i];
}}
"""
RIGHT = {"guard": "i < n", "where": "i", "shared": ""}


def _cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (64, 99, 321, 577, 703):
        tensor = InputTensor(rng.standard_normal(n), FP32)
        yield Case("a vector", (tensor,), TensorSpec((n,), FP32))


def _doubled(x: Floats) -> Floats:
    return 2 * x


LAUNCH = CudaLaunch(("x", "y"), rows_a_block=64, block=64)
CHECK = Correct(Truth(_cases, _doubled, lambda _: Tolerance(1e-6, 1e-6)), on=InSimulator(LAUNCH))


def _judged(files: Path, **changes: str) -> CheckRecord:
    (files / "doubled.cu").write_text(KERNEL.format(**RIGHT | changes), encoding="utf-8")
    candidate = Candidate("doubled", "doubled.cu")
    launcher = Launcher(level()[0])
    session = new_session(files, candidate=candidate, launcher=launcher, budget_s=120)
    with closing(session):
        (record,) = judge_checks({"correct": CHECK}, session)
    return record


pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="the group `cuda`"),
    pytest.mark.skipif(importlib.util.find_spec("z3") is None, reason="the group `proof`"),
]


def test_a_right_kernel_is_proved(tmp_path: Path) -> None:
    record = _judged(tmp_path)
    assert record.verdict is Verdict.PASSED, record
    assert record.sentence.endswith(" Proved: in bounds and free of races for every size.")
    said: Any = record.evidence["proofs"]
    assert [claim["about"] for claim in said["claims"]] == ["bounds", "races", "shared"]
    assert said["assumed"] == "x [x.shape[0]]; y [x.shape[0]]"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"guard": "i < n || n == 130 && i == n"}, "Out-of-bounds"),
        ({"where": "n == 130 ? i % 64 : i"}, "race"),
        ({"shared": "__shared__ int s; if (n == 130) s = threadIdx.x;"}, "race"),
    ],
)
def test_sizes_that_no_case_has_are_run_and_cost_nothing(
    changes: dict[str, str], fault: str, tmp_path: Path
) -> None:
    record = _judged(tmp_path, **changes)
    assert record.verdict is Verdict.PASSED, record
    assert record.earned == 1
    assert "The smallest sizes that break it (x.shape[0] = 130): doubled.cu:" in record.sentence
    assert fault in record.sentence
    assert record.sentence.endswith(
        "No hidden case of this check shows it: it costs no points here."
    )


@pytest.mark.slow
def test_what_is_not_followed_costs_nothing(tmp_path: Path) -> None:
    record = _judged(tmp_path, shared="y = reinterpret_cast<float*>(reinterpret_cast<size_t>(y));")
    assert record.verdict is Verdict.PASSED, record
    assert "The rest is tested, not proved (" in record.sentence


@pytest.mark.slow
def test_without_z3_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_simulator, "find_spec", {"z3": None}.get)
    record = _judged(tmp_path)
    assert record.verdict is Verdict.PASSED, record
    assert record.evidence["proofs"] == NO_SOLVER
