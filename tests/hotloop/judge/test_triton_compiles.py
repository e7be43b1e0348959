"""Kernels are compiled for GPUs that are not here, from the submitted file."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.checks import triton_compiles
from hotloop.judge.checks.correct import Case, InputTensor, Truth
from hotloop.judge.checks.triton_compiles import TritonCompiles
from hotloop.judge.checks.triton_kernel_calls import TritonKernelCalls
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BF16, FP32
from hotloop.judge.launcher import Launcher
from hotloop.judge.session import Session
from hotloop.sandbox.level import level

from ..sessions import new_session

FILE = "softmax_triton.py"
SUBMISSION = """
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n).to(tl.float32)
    tl.store(out_ptr + at, x * factor, mask=at < n)


@triton.jit
def only_interpreted(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = 0.0
    for _ in range(2):
        total += tl.load(x_ptr + at, mask=at < n, other=0).to(tl.float32)
    tl.store(out_ptr + at, total, mask=at < n)


@triton.jit
def greedy(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0).to(tl.float32)
    y = tl.load(x_ptr + n - 1 - at, mask=at < n, other=0).to(tl.float32)
    tl.store(out_ptr + at, x * tl.sum(x * y, 0) + y * tl.max(x, 0), mask=at < n)


def fine(x, out):
    scale[(2,)](x, out, x.numel(), 2.0, BLOCK=128, num_warps=2)


def with_a_sum_of_another_shape(x, out):
    only_interpreted[(1,)](x, out, x.numel(), 2.0, BLOCK=256)


def spilling(x, out):
    greedy[(1,)](x, out, x.numel(), 2.0, BLOCK=4096, num_warps=1)


def two_sums(x, out):
    greedy[(1,)](x, out, x.numel(), 2.0, BLOCK=256)


def two_kernels(x, out):
    for _ in range(3):
        scale[(2,)](x, out, x.numel(), 2.0, BLOCK=128)
    scale[(4,)](x, out, x.numel(), 2.0, BLOCK=64)
"""


def case(rng: np.random.Generator) -> Case:
    return Case(
        "a row", (InputTensor(rng.normal(size=(1, 200)), BF16),), TensorSpec((1, 200), FP32)
    )


def anything(_x: np.ndarray) -> np.ndarray:
    """The kernels are compiled only, and need not compute anything in particular."""
    return np.zeros((1, 200))


CALLS = TritonKernelCalls(
    Truth(lambda rng: [case(rng)], anything, lambda _case: Tolerance(0.0, 1e30)),
    case,
    counted_calls=1,
)
CHECK = TritonCompiles(CALLS, after=())


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("submission")
    (folder / FILE).write_text(SUBMISSION)
    session = new_session(folder)
    yield session
    session.close()


def judge(session: Session, name: str, check: TritonCompiles = CHECK) -> CheckRecord:
    session.resources.cached.clear()  # shared by the checks of one task
    (record,) = judge_checks(
        {"compiles": check}, session.about(Candidate(name, FILE, "destination"))
    )
    return record


@pytest.mark.slow
def test_reports_what_the_compiler_says_for_every_target(session: Session) -> None:
    record = judge(session, "fine")
    assert (record.verdict, record.earned) == (Verdict.PASSED, 1.0)
    assert record.sentence.startswith("Compiles for sm_80 and sm_90: ")
    kernels = record.evidence["kernels"]
    assert [(k["kernel"], k["target"]) for k in kernels] == [("scale", "sm_80"), ("scale", "sm_90")]
    for figures in kernels:
        assert 0 < figures["registers"] < 255
        assert figures["spill_store_bytes"] == 0


@pytest.mark.slow
def test_what_only_the_interpreter_runs_is_a_compile_error(session: Session) -> None:
    record = judge(session, "with_a_sum_of_another_shape")
    line = SUBMISSION[: SUBMISSION.index("for _ in range(2)")].count("\n") + 1
    assert (record.verdict, record.earned) == (Verdict.COMPILE_ERROR, 0.0)
    assert record.sentence.startswith(f"{FILE}, line {line}: `only_interpreted` does not compile")


@pytest.mark.slow
def test_spills_are_reported_and_judged_where_a_task_says_so(session: Session) -> None:
    one = replace(CHECK, targets=(80,))
    record = judge(session, "spilling", one)
    assert record.verdict is Verdict.PASSED
    assert record.evidence["kernels"][0]["spill_store_bytes"] > 0
    strict = judge(session, "spilling", replace(one, max_spill_bytes=0))
    assert (strict.verdict, strict.earned) == (Verdict.TOO_SLOW, 0.0)
    assert "spill to memory" in strict.sentence


@pytest.mark.slow
def test_more_shared_memory_than_a_block_has_is_an_error(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pretends that sm_80 has none: a kernel that fills a real block's takes seconds to compile."""
    monkeypatch.setattr(triton_compiles, "SHARED_KIB", {80: 0})
    record = judge(session, "two_sums", replace(CHECK, targets=(80,)))
    assert record.verdict is Verdict.COMPILE_ERROR
    assert "of shared memory, sm_80 has 0 KiB a block" in record.sentence


@pytest.mark.slow
def test_each_specialization_is_compiled_once(session: Session) -> None:
    record = judge(session, "two_kernels", replace(CHECK, targets=(90,)))
    assert len(record.evidence["kernels"]) == 2


@pytest.mark.slow
@pytest.mark.sandbox
def test_in_the_sandbox_it_is_the_same(session: Session) -> None:
    if level()[0] == "none":
        pytest.skip(level()[1])
    with closing(new_session(session.files.root, launcher=Launcher("bubblewrap"))) as confined:
        record = judge(confined, "fine")
    assert record.verdict is Verdict.PASSED
    assert len(record.evidence["kernels"]) == 2
