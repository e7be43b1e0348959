"""Checks with the truth from a trusted function, judged with small functions and real workers."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.oracle import Oracle
from hotloop.judge.session import Session
from hotloop.tasks.modules.profile_training_loop.held_out_accuracy import Exam, Learns

ORACLE = """
from beside import FACTOR

def train(x, weights):
    weights.copy_(FACTOR * x)

def accuracy(weights, out):
    out[0] = float((weights - weights.round()).abs().lt(0.01).float().mean())

def broken(x, out):
    raise ValueError("ours")
"""

CANDIDATES = """
import torch

def right(x, weights):
    weights.copy_(x * 3)

def wrong(x, weights):
    weights.copy_(x * 2.5)

def poison(x, weights):
    weights[1:] = x[1:] * 3
"""


@pytest.fixture
def session(tmp_path: Path, session_over: Callable[..., Session]) -> Session:
    (tmp_path / "candidates.py").write_text(CANDIDATES)
    return session_over(tmp_path, isolation="none")


@pytest.fixture
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    folder = tmp_path_factory.mktemp("ours")
    (folder / "oracle.py").write_text(ORACLE)
    (folder / "other_name.py").write_text("FACTOR = 3\n")
    files = {"oracle.py": folder / "oracle.py", "beside.py": folder / "other_name.py"}
    return Oracle(files, "oracle.py")


def case(values: list[float]) -> Case:
    x = np.array(values)
    return Case("numbers", (InputTensor(x, FP32),), TensorSpec(x.shape, FP32))


def unequal(_case: Case, got: Floats, want: Floats) -> str | None:
    return None if np.array_equal(got, want) else "They differ"


def judged(name: str, check: Correct | Learns, session: Session) -> Verdict:
    own = session.about(Candidate(name, "candidates.py", "destination"))
    return judge_check("r", check, own).verdict


@pytest.mark.slow
def test_answers_are_compared_with_the_oracles(session: Session, oracle: Oracle) -> None:
    check = Correct(
        Truth(lambda _rng: [case([1.0, 2.0]), case([5.0])], oracle.function("train", unequal))
    )
    assert judged("right", check, session) is Verdict.PASSED
    assert judged("wrong", check, session) is Verdict.WRONG_ANSWER


@pytest.mark.slow
def test_an_oracle_that_fails_is_our_fault(session: Session, oracle: Oracle) -> None:
    check = Correct(Truth(lambda _rng: [case([1.0])], oracle.function("broken", unequal)))
    assert judged("right", check, session) is Verdict.JUDGE_ERROR


@pytest.mark.slow
def test_whatever_fails_while_an_oracle_is_asked_is_our_fault(
    session: Session, oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> Floats:
        raise MemoryError

    monkeypatch.setattr("hotloop.judge.oracle.ask", fails)
    check = Correct(Truth(lambda _rng: [case([1.0])], oracle.function("train", unequal)))
    assert judged("wrong", check, session) is Verdict.JUDGE_ERROR


@pytest.mark.slow
def test_two_oracles_whose_files_share_a_name_are_two(
    session: Session, oracle: Oracle, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "oracle.py"
    other.write_text("def train(x, weights):\n    weights.copy_(2.5 * x)\n")
    for truth, right in ((oracle, "right"), (Oracle({"oracle.py": other}, "oracle.py"), "wrong")):
        check = Correct(Truth(lambda _rng: [case([1.0])], truth.function("train", unequal)))
        assert judged(right, check, session) is Verdict.PASSED


@pytest.mark.slow
def test_weights_are_tested_against_those_of_our_own_training(
    session: Session, oracle: Oracle
) -> None:
    def test(weights: Floats) -> Case:
        return Case("held-out", (InputTensor(weights, FP32),), TensorSpec((1,), FP32))

    exam = Exam(case([1.0, 3.0, 5.0, 7.0]), test)
    check = Learns(lambda _rng: exam, oracle, "train", "accuracy", margin=0.1)
    assert judged("right", check, session) is Verdict.PASSED
    assert judged("wrong", check, session) is Verdict.WRONG_ANSWER
    assert judged("poison", check, session) is Verdict.WRONG_ANSWER


def test_what_is_staged_ends_with_the_session(session: Session, oracle: Oracle) -> None:
    folder = session.staged(oracle.files)
    assert {path.name for path in folder.iterdir()} == {"oracle.py", "beside.py"}
    session.close()
    assert not folder.exists()


def test_a_calls_values_make_a_case() -> None:
    from hotloop.judge.calls import CallBuffers
    from hotloop.judge.oracle import case_of

    buffers = CallBuffers(
        [CallSpec((TensorSpec((3,), FP32), 0.5), TensorSpec((3,), FP32))], seal_inputs=True
    )
    buffers.calls[0].write(0, np.array([1.0, 2.0, 3.0]))
    found = case_of(buffers.calls[0])
    buffers.close()
    first, second = found.arguments
    assert isinstance(first, InputTensor)
    assert first.values.tolist() == [1.0, 2.0, 3.0]
    assert second == 0.5
