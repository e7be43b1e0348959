"""Kernels in the simulator as the judge runs them: the verdict of each kind of fault.

It is the same whether the simulator is a process of its own or a part of the judge's.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.cuda_clean import CudaClean
from hotloop.judge.checks.in_simulator import InSimulator
from hotloop.judge.compare import Tolerance
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.dtypes import FP32
from hotloop.judge.launcher import Launcher
from hotloop.judge.practice import NoProcesses

from ..sessions import new_session

LAUNCH = CudaLaunch(("x", "y"), rows_a_block=32, block=32)
HEAD = "__global__ void scale(const float* x, float* y, int rows, int columns, float by)"
RIGHT = "const int i = blockIdx.x * 32 + threadIdx.x; if (i < rows) y[i] = by * x[i];"


def cases(rng: np.random.Generator) -> Iterator[Case]:
    x = rng.standard_normal((40, 1))
    yield Case("forty rows", (InputTensor(x, FP32), 0.5), TensorSpec((40, 1), FP32))


def scaled(x: np.ndarray, by: float) -> np.ndarray:
    return by * x


CHECKS = {
    "correct": Correct(
        Truth(cases, scaled, lambda _: Tolerance(1e-6, 0.0)),
        on=InSimulator(LAUNCH),
        case_timeout_s=4,
    ),
    "clean": CudaClean(LAUNCH, Truth(cases, scaled, lambda _: Tolerance(1e-6, 0.0))),
}


@pytest.fixture(params=[Launcher("none"), NoProcesses()], ids=["worker", "here"])
def launcher(request: pytest.FixtureRequest) -> Launcher:
    return request.param


def judged(source: str, folder: Path, launcher: Launcher) -> tuple[CheckRecord, ...]:
    (folder / "scale.cu").write_text(source)
    session = new_session(folder, launcher=launcher)
    with closing(session):
        return judge_checks(CHECKS, session.about(Candidate("scale", "scale.cu")))


@pytest.mark.slow
def test_the_right_kernel(tmp_path: Path, launcher: Launcher) -> None:
    records = judged(f"{HEAD} {{ {RIGHT} }}", tmp_path, launcher)
    assert [record.verdict for record in records] == [Verdict.PASSED] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "verdict", "said"),
    [
        (f"{HEAD} {{ }}", Verdict.WRONG_ANSWER, "Not attempted yet"),
        (f"{HEAD} {{ y[0] }}", Verdict.COMPILE_ERROR, "scale.cu:1:88: error: expected ';'"),
        ("__global__ void scales() {}", Verdict.COMPILE_ERROR, "there is no kernel `scale`"),
        (
            "__global__ void scale(const float* x, float* y, int rows, float by) { y[0] = by; }",
            Verdict.COMPILE_ERROR,
            "must take (pointer x, pointer y, integer, integer, float), and it takes",
        ),
        (
            HEAD.replace("void", "void __launch_bounds__(16)") + f" {{ {RIGHT} }}",
            Verdict.RUNTIME_ERROR,
            "The launch with 32 threads a block failed with cudaErrorInvalidValue",
        ),
        (
            f"{HEAD} {{\n  y[blockIdx.x * 32 + threadIdx.x] = by; }}",
            Verdict.RUNTIME_ERROR,
            (
                "scale.cu:2: Out-of-bounds write of 4 bytes, "
                "92 bytes past the end of the array of 160 bytes `y`"
            ),
        ),
        (
            f"{HEAD} {{\n  while (*(volatile const float*)x < 1e9f) {{}} }}",
            Verdict.TIMEOUT,
            "scale.cu:2: The kernel did not end within 3.6 s: 0 of 2 blocks were done",
        ),
        (
            f"{HEAD} {{ {RIGHT} if (i < rows) const_cast<float*>(x)[i] = 3; }}",
            Verdict.WRONG_ANSWER,
            "Writes to `x`, which is an input",
        ),
        (f"{HEAD} {{ y[0] = by * x[0]; }}", Verdict.WRONG_ANSWER, "NaN, or never written"),
    ],
)
def test_what_comes_of_a_fault(
    source: str, verdict: Verdict, said: str, tmp_path: Path, launcher: Launcher
) -> None:
    failed = next(r for r in judged(source, tmp_path, launcher) if r.verdict is not Verdict.PASSED)
    assert said in failed.sentence
    assert (failed.verdict, failed.earned) == (verdict, 0.0)


@pytest.mark.slow
def test_a_fault_of_the_simulators_costs_nothing(
    tmp_path: Path, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: object) -> dict[str, object]:
        return {"op": "launch", "kernel": 3}

    monkeypatch.setattr("hotloop.judge.cuda_kernel.KernelProcess._launch", wrong)
    records = judged(f"{HEAD} {{ {RIGHT} }}", tmp_path, launcher)
    assert records[0].verdict is Verdict.JUDGE_ERROR


@pytest.mark.slow
def test_a_comment_that_never_ends_is_read_once(tmp_path: Path, launcher: Launcher) -> None:
    before = time.monotonic()
    records = judged(f"{HEAD} {{ {RIGHT} }}" + "/* " * 80_000, tmp_path, launcher)
    assert records[0].verdict is Verdict.COMPILE_ERROR
    assert time.monotonic() - before < 20
