"""What is proved of kernels stands beside the verdict, and changes none."""

import importlib.util
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hotloop.core.extras import NO_SOLVER
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.checks import triton_kernel_proof
from hotloop.judge.checks.correct import Case, InputTensor, Truth
from hotloop.judge.checks.triton_kernel_calls import TritonKernelCalls
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.launcher import Launcher
from hotloop.sandbox.level import level

from ..sessions import new_session

SUBMISSION = """
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store({where}, 2 * tl.load(x_ptr + i, mask=i < n), mask={mask})


def double(x, out):
    n = x.numel()
    double_kernel[({grid},)](x, out, n, BLOCK=64)
"""
RIGHT = {"where": "out_ptr + i", "mask": "i < n", "grid": "triton.cdiv(n, 64)"}


def _case(rng: np.random.Generator, n: int) -> Case:
    return Case("a vector", (InputTensor(rng.standard_normal(n), FP32),), TensorSpec((n,), FP32))


def _cases(rng: np.random.Generator) -> Iterator[Case]:
    for blocks in (1, 2, 5, 9, 11):
        yield _case(rng, 64 * blocks)


def _doubled(x: Floats) -> Floats:
    return 2 * x


CHECK = TritonKernelCorrect(
    TritonKernelCalls(
        Truth(_cases, _doubled, lambda _: Tolerance(1e-6, 1e-6)), lambda rng: _case(rng, 128)
    )
)


def judged(folder: Path, **changes: str) -> CheckRecord:
    (folder / "answer.py").write_text(SUBMISSION.format(**RIGHT | changes))
    candidate = Candidate("double", "answer.py", "destination")
    launcher = Launcher(level()[0])
    session = new_session(folder, candidate=candidate, launcher=launcher, budget_s=120)
    with closing(session):
        (record,) = judge_checks({"correct": CHECK}, session)
    return record


has_z3 = pytest.mark.skipif(importlib.util.find_spec("z3") is None, reason="needs z3")


@pytest.mark.slow
@has_z3
def test_a_right_kernel_is_proved(tmp_path: Path) -> None:
    record = judged(tmp_path)
    assert record.verdict is Verdict.PASSED
    assert record.sentence.endswith("Proved: in bounds and free of races for every size.")
    proofs = record.evidence["proofs"]
    assert [claim["result"] for claim in proofs["claims"]] == ["proved", "proved"]
    assert proofs["assumed"] == "x [x.shape[0]]; out [x.shape[0]]"


@pytest.mark.slow
@has_z3
def test_sizes_that_no_case_has_are_run_and_cost_nothing(tmp_path: Path) -> None:
    record = judged(tmp_path, mask="i < n + 7")
    assert record.verdict is Verdict.PASSED
    assert record.earned == 1
    assert "The smallest sizes that break it (x.shape[0] = 1): answer.py, line 10: " in (
        record.sentence
    )
    assert "outside `out_ptr`" in record.sentence


@pytest.mark.slow
@has_z3
def test_the_smallest_sizes_stand_behind_a_fault(tmp_path: Path) -> None:
    record = judged(tmp_path, where="out_ptr + i + 1")
    assert record.verdict is Verdict.WRONG_ANSWER
    assert "The smallest sizes that break it" in record.sentence or "wrote outside" in (
        record.sentence
    )


@pytest.mark.slow
@has_z3
def test_what_is_not_followed_is_tested(tmp_path: Path) -> None:
    record = judged(tmp_path, grid="sum(1 for _ in x[::64])")
    assert record.verdict is Verdict.PASSED
    assert "tested, not proved" in record.sentence


@pytest.mark.slow
def test_without_z3_nobody_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triton_kernel_proof, "find_spec", {"z3": None}.get)
    record = judged(tmp_path)
    assert record.verdict is Verdict.PASSED
    assert record.evidence["proofs"] == NO_SOLVER
