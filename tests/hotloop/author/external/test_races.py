"""A Triton submission to a public set whose programs race is wrong, whatever its answer was."""

from pathlib import Path

import pytest

from hotloop.author.external import forms, judging
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess

DOUBLED = Path(__file__).parent / "problems" / "doubled"

pytestmark = pytest.mark.sandbox

KERNEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def doubled(x_ptr, out_ptr, kept_ptr, lock_ptr, n, LOCK: tl.constexpr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    at = tl.program_id(0) * BLOCK + lanes
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    if LOCK:
        while tl.atomic_cas(lock_ptr, 0, 1) == 1:
            pass
    tl.store(kept_ptr + lanes, 2 * x)
    x = tl.load(kept_ptr + lanes)
    if LOCK:
        tl.debug_barrier()
        tl.atomic_xchg(lock_ptr, 0)
    tl.store(out_ptr + at, x, mask=at < n)

def launch(x, out, lock=False):
    n = x.numel()
    kept, locks = torch.empty(256), torch.zeros(1, dtype=torch.int32)
    doubled[(triton.cdiv(n, 256),)](x, out, kept, locks, n, LOCK=lock, BLOCK=256)
    return out

def custom_kernel(data):
    values, out = data
"""
UNWATCHED = """
from contextlib import contextmanager
from hotloop.worker import triton_watch

@contextmanager
def nothing(order):
    yield []

triton_watch.watched = nothing
"""


def judged(text: str, judge: JudgeProcess, folder: Path) -> CheckRecord:
    file = folder / "answer.py"
    file.write_text(text)
    return judging.judge(judging.ExternalJob.of(forms.find(DOUBLED), file), process=judge).checks[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("", "return launch(values, out)"),
        ("", "return launch(0.5 * values, out).mul(2)"),
        (UNWATCHED, "return launch(values, out)"),
    ],
    ids=["kernels only", "PyTorch beside them", "not watched in its own process"],
)
def test_a_race_is_wrong(head: str, body: str, judge: JudgeProcess, tmp_path: Path) -> None:
    check = judged(f"{head}{KERNEL}    {body}\n", judge, tmp_path)
    lines = f"{head}{KERNEL}".splitlines()
    stored = next(n for n, line in enumerate(lines, 1) if "tl.store(kept_ptr" in line)
    assert check.verdict is Verdict.WRONG_ANSWER, check.sentence
    assert "both use `kept_ptr[" in check.sentence
    assert f"submission.py, line {stored}: programs " in check.sentence
    assert f"line {stored} writes it" in check.sentence


@pytest.mark.slow
def test_a_lock_is_right(judge: JudgeProcess, tmp_path: Path) -> None:
    check = judged(f"{KERNEL}    return launch(values, out, True)\n", judge, tmp_path)
    assert check.verdict is Verdict.PASSED, check.sentence
    assert "the bytes of inputs and outputs" in check.sentence


@pytest.mark.slow
def test_a_store_past_the_end_is_wrong(judge: JudgeProcess, tmp_path: Path) -> None:
    """Its answer is right, and the mask of its store is too wide by one."""
    text = KERNEL.replace("(triton.cdiv(n, 256),)", "(triton.cdiv(n + 1, 256),)")
    text = text.replace(
        "tl.store(out_ptr + at, x, mask=at < n)", "tl.store(out_ptr + at, x, at <= n)"
    )
    check = judged(f"{text}    return launch(values, out, True)\n", judge, tmp_path)
    assert check.verdict is Verdict.WRONG_ANSWER, check.sentence
    stored = next(n for n, line in enumerate(text.splitlines(), 1) if "x, at <= n" in line)
    assert f"submission.py, line {stored}: program " in check.sentence
    assert "past the end of its tensor: give tl.store a `mask=`" in check.sentence


@pytest.mark.slow
def test_a_lock_that_is_never_released_is_wrong_and_told_at_once(
    judge: JudgeProcess, tmp_path: Path
) -> None:
    text = KERNEL.replace("tl.atomic_xchg(lock_ptr, 0)", "pass")
    check = judged(f"{text}    return launch(values, out, True)\n", judge, tmp_path)
    assert check.verdict is Verdict.WRONG_ANSWER, check.sentence
    spins = next(n for n, line in enumerate(text.splitlines(), 1) if "while tl.atomic_cas" in line)
    assert f"submission.py, line {spins}: program " in check.sentence
    assert "waits for a value of `lock_ptr[0]` that no program writes" in check.sentence


@pytest.mark.slow
def test_what_pytorch_computes_between_kernels_is_no_race(
    judge: JudgeProcess, tmp_path: Path
) -> None:
    """The kernels alone would all write to one place, as nobody numbers the places there."""
    text = KERNEL.replace(
        "def launch(",
        """@triton.jit
def number(places_ptr):
    tl.store(places_ptr + tl.program_id(0), 0)

@triton.jit
def placed(x_ptr, out_ptr, places_ptr):
    place = tl.load(places_ptr + tl.program_id(0))
    tl.store(out_ptr + place, 2 * tl.load(x_ptr + tl.program_id(0)))

def launch(""",
    )
    body = """n = values.numel()
    places = torch.empty(n, dtype=torch.int32)
    number[(n,)](places)
    places += torch.arange(n, dtype=torch.int32)
    placed[(n,)](values, out, places)
    return out
"""
    check = judged(f"{text}    {body}", judge, tmp_path)
    assert check.verdict is Verdict.PASSED, check.sentence
    assert "bytes not counted" in check.sentence
