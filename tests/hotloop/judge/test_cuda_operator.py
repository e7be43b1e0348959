"""Checks for the several functions of an operator's file."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import check, judge_check
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.cuda_operator import CorrectOrRaises
from hotloop.judge.checks.raises_error import RaisesError
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.session import Session

from ..sessions import new_session

FILE = """
def double(x):
    return 2 * x

def refuse(x):
    raise RuntimeError("not written")

def refuse_vectors(x):
    if x.dim() == 1:
        raise RuntimeError("no vectors")
    return 2 * x

def silence(x):
    return 0 * x

"""
# Whatever a right answer refuses by: Python's own errors, PyTorch's, and those without a text.
ERRORS = (
    'NotImplementedError("softmax has no second derivative here")',
    "NotImplementedError",
    "AssertionError",
    "KeyError(x.dim())",
    'SyntaxError("no vectors")',
    "MemoryError()",
    'torch.jit.Error("no vectors")',
    'type("Own", (Exception,), {})("no vectors")',
)
REFUSING = "".join(
    f"def refuse_by_{number}(x):\n    raise {error}\n" for number, error in enumerate(ERRORS)
)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for shape in ((7,), (3, 5)):
        x = rng.standard_normal(shape)
        yield Case(f"{len(shape)} dimensions", (InputTensor(x, FP32),), TensorSpec(shape, FP32))


def twice(x: np.ndarray) -> np.ndarray:
    return 2 * x


TOLERANCE = Tolerance(1e-6, 0.0)
CHECK = CorrectOrRaises(Truth(cases, twice, lambda _case: TOLERANCE))


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("submission")
    (folder / "functions.py").write_text(f"import torch\n{FILE}{REFUSING}")
    made = new_session(folder)
    with closing(made):
        yield made


def judged(check: Any, name: str, session: Session) -> CheckRecord:
    return judge_check("check", check, session.about(Candidate(name, "functions.py")))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "right"), [("double", 2), ("refuse_vectors", 1), ("refuse", 0)])
def test_right_or_an_error_passes(session: Session, name: str, right: int) -> None:
    record = judged(CHECK, name, session)
    assert (record.verdict, record.earned) == (Verdict.PASSED, 1.0)
    assert (record.evidence["cases"], record.evidence["right"]) == (2, right)


@pytest.mark.parametrize("number", range(len(ERRORS)), ids=ERRORS)
@pytest.mark.parametrize("check", [CHECK, RaisesError(cases)], ids=["right or refused", "refused"])
def test_every_exception_refuses(session: Session, check: Any, number: int) -> None:
    record = judged(check, f"refuse_by_{number}", session)
    assert (record.verdict, record.earned) == (Verdict.PASSED, 1.0)


def test_what_is_accepted_is_not_refused(session: Session) -> None:
    assert judged(RaisesError(cases), "refuse_vectors", session).verdict is Verdict.WRONG_ANSWER


def test_a_wrong_answer_does_not(session: Session) -> None:
    record = judged(CHECK, "silence", session)
    assert record.verdict is Verdict.WRONG_ANSWER
    assert record.sentence.startswith("1 dimensions (float32 [7]): Wrong:")


def test_the_check_is_asked_of_another_function(session: Session) -> None:
    correct = Correct(Truth(cases, twice, lambda _case: TOLERANCE))
    double, silence = (replace(correct, entry=name) for name in ("double", "silence"))
    assert judged(double, "silence", session).verdict is Verdict.PASSED
    assert judged(silence, "double", session).verdict is Verdict.WRONG_ANSWER


def test_the_candidate_is_another_function_in_its_own_style(session: Session) -> None:
    @check()
    def says(session: Session) -> str:
        asked = session.candidate
        return f"{asked.name}, {asked.style}, {asked.operator}"

    kernel = replace(says, entry="kernel", style="destination")
    about = session.about(Candidate("other", "file.py", operator=True))
    assert judge_check("a", kernel, about).sentence == "kernel, destination, True"
