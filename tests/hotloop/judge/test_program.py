"""A program that runs a candidate's file: what is said when the file fails in it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.dtypes import FP32
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.program import Program
from hotloop.judge.session import Session

RUNS = "def run(x, out):\n    raise ValueError('u0 >= 2')\n"
CASE = Case("one message of 7 tokens", (InputTensor(np.ones(3), FP32),), TensorSpec((3,), FP32))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    path = tmp_path / "model_runs.py"
    path.write_text(RUNS)
    return Program({"model_runs.py": path}, "model_runs.py")


@pytest.mark.slow
def test_the_sentence_has_the_input_and_no_line_of_ours(
    program: Program, session_over: Callable[..., Session]
) -> None:
    with pytest.raises(Ruling) as caught:
        program.given(session_over(), "runs").answer("run", CASE)
    assert caught.value.verdict is Verdict.RUNTIME_ERROR
    assert caught.value.sentence == "one message of 7 tokens: It raised ValueError: u0 >= 2"


@pytest.mark.slow
def test_a_fault_of_our_own_program_keeps_its_line(
    program: Program, session_over: Callable[..., Session]
) -> None:
    with pytest.raises(JudgeFault, match=r"at model_runs\.py:2: u0 >= 2"):
        program.trusted(session_over()).answer("run", CASE)
