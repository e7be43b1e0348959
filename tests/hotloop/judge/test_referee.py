"""Rungs that ask a function of ours for the truth, judged with small functions and real workers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hotloop.judge.bench import Bench
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.check import Candidate
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.fault import JudgeFault
from hotloop.judge.referee import Referee
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.rungs.learns import Exam, Learns
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.verdict import Ruling, Verdict

REFEREE = """
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
def bench(tmp_path: Path, bench_over: Callable[..., Bench]) -> Bench:
    (tmp_path / "candidates.py").write_text(CANDIDATES)
    return bench_over(tmp_path, isolation="none")


@pytest.fixture
def referee(tmp_path_factory: pytest.TempPathFactory) -> Referee:
    folder = tmp_path_factory.mktemp("ours")
    (folder / "referee.py").write_text(REFEREE)
    (folder / "other_name.py").write_text("FACTOR = 3\n")
    files = {"referee.py": folder / "referee.py", "beside.py": folder / "other_name.py"}
    return Referee(files, "referee.py")


def case(values: list[float]) -> Case:
    x = np.array(values)
    return Case("numbers", (Tensor(x, FP32),), TensorSpec(x.shape, FP32))


def unequal(_case: Case, got: Floats, want: Floats) -> str | None:
    return None if np.array_equal(got, want) else "They differ"


def judged(name: str, rung: Refereed | Learns, bench: Bench) -> Verdict:
    try:
        return rung.judge("r", Candidate(name, "candidates.py", "destination"), bench).verdict
    except Ruling as ruling:
        return ruling.verdict


def test_answers_are_compared_with_the_referees(bench: Bench, referee: Referee) -> None:
    rung = Refereed(lambda _rng: [case([1.0, 2.0]), case([5.0])], referee, "train", unequal)
    assert judged("right", rung, bench) is Verdict.PASSED
    assert judged("wrong", rung, bench) is Verdict.WRONG_ANSWER


def test_a_referee_that_fails_is_our_fault(bench: Bench, referee: Referee) -> None:
    rung = Refereed(lambda _rng: [case([1.0])], referee, "broken", unequal)
    with pytest.raises(JudgeFault, match="ours"):
        judged("right", rung, bench)


def test_weights_are_tested_against_those_of_our_own_training(
    bench: Bench, referee: Referee
) -> None:
    def test(weights: Floats) -> Case:
        return Case("held-out", (Tensor(weights, FP32),), TensorSpec((1,), FP32))

    exam = Exam(case([1.0, 3.0, 5.0, 7.0]), test)
    rung = Learns(lambda _rng: exam, referee, "train", "accuracy", margin=0.1)
    assert judged("right", rung, bench) is Verdict.PASSED
    assert judged("wrong", rung, bench) is Verdict.WRONG_ANSWER
    assert judged("poison", rung, bench) is Verdict.WRONG_ANSWER


def test_what_is_staged_ends_with_the_bench(bench: Bench, referee: Referee) -> None:
    folder = bench.staged(referee.files)
    assert {path.name for path in folder.iterdir()} == {"referee.py", "beside.py"}
    bench.close()
    assert not folder.exists()


def test_a_calls_values_make_a_case() -> None:
    from hotloop.judge.calls import Arena
    from hotloop.judge.rungs.refereed_fast import case_of

    arena = Arena(
        [CallSpec((TensorSpec((3,), FP32), 0.5), TensorSpec((3,), FP32))], seal_inputs=True
    )
    arena.calls[0].write(0, np.array([1.0, 2.0, 3.0]))
    found = case_of(arena.calls[0])
    arena.close()
    first, second = found.arguments
    assert isinstance(first, Tensor)
    assert first.values.tolist() == [1.0, 2.0, 3.0]
    assert second == 0.5
