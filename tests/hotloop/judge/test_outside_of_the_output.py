"""Writing after the output, or between its rows, is a wrong answer."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.calls import CallBuffers, CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BF16, BOOL, FP32, DType

from ..sessions import new_session

PATTERN = 0x5A5A5A
A_PAGE = (4, 256)
"""Shape in float32 that fills a page, so that no byte of it is left after the output."""


@pytest.mark.parametrize("dtype", [FP32, BF16, BOOL])
@pytest.mark.parametrize(("shape", "gap"), [(A_PAGE, 0), ((3, 5), 0), ((3, 5), 2), ((0, 5), 0)])
def test_only_what_lies_outside_is_seen(shape: tuple[int, ...], gap: int, dtype: DType) -> None:
    spec = TensorSpec(shape, dtype, gap)
    with closing(CallBuffers([CallSpec((), spec)], seal_inputs=True)) as buffers:
        call = buffers.calls[0]
        call.poison_output(PATTERN)
        call.output()[...] = 1
        assert not call.wrote_outside(PATTERN)
        memory = call.buffers[call.out.buffer].bytes
        for at in (spec.bytes, *([5 * dtype.bytes] if gap else [])):
            memory[at] ^= 1
            assert call.wrote_outside(PATTERN)
            memory[at] ^= 1


def judged(body: str, folder: Path) -> tuple[Verdict, str]:
    (folder / "answer.py").write_text(f"import ctypes\n\ndef twice(x, out):\n    {body}\n")
    case = Case("a page", (InputTensor(np.ones(A_PAGE), FP32),), TensorSpec(A_PAGE, FP32))

    def cases(_rng: np.random.Generator) -> Iterator[Case]:
        yield case

    check = Correct(Truth(cases, lambda x: 2 * x, lambda _case: Tolerance(1e-6, 1e-6)))
    session = new_session(
        folder, candidate=Candidate("twice", "answer.py", "destination"), budget_s=60
    )
    with closing(session):
        (record,) = judge_checks({"correct": check}, session)
    return record.verdict, record.sentence


@pytest.mark.slow
def test_a_number_behind_the_end_is_a_wrong_answer(tmp_path: Path) -> None:
    right = "out.copy_(2 * x)"
    assert judged(right, tmp_path)[0] is Verdict.PASSED
    behind = f"{right}; ctypes.memset(out.data_ptr() + 4 * out.numel(), 0, 4)"
    verdict, sentence = judged(behind, tmp_path)
    assert verdict is Verdict.WRONG_ANSWER
    assert "wrote outside of its output" in sentence
