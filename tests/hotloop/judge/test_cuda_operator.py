"""Rungs for the several functions of an operator's file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.judge.bench import Bench
from hotloop.judge.calls import TensorSpec
from hotloop.judge.check import Candidate
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.launcher import Launcher
from hotloop.judge.levels import Level
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.correct import Case, Correct, Tensor
from hotloop.judge.rungs.cuda_operator import Called, RightOrRefused
from hotloop.judge.verdict import Ruling, Verdict

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


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for shape in ((7,), (3, 5)):
        x = rng.standard_normal(shape)
        yield Case(f"{len(shape)} dimensions", (Tensor(x, FP32),), TensorSpec(shape, FP32))


def twice(x: np.ndarray) -> np.ndarray:
    return 2 * x


TOLERANCE = Tolerance(1e-6, 0.0)
RUNG = RightOrRefused(cases, twice, lambda _case: TOLERANCE)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder: Path = tmp_path_factory.mktemp("submission")
    (folder / "functions.py").write_text(FILE)
    made = Bench(
        files=folder,
        launcher=Launcher("none"),
        connect=lambda: None,
        budget_s=120,
        device="cpu",
    )
    with closing(made):
        yield made


def judged(rung: Any, name: str, bench: Bench) -> RungRecord:
    return rung.judge("rung", Candidate(name, "functions.py"), bench)


@pytest.mark.parametrize(("name", "right"), [("double", 2), ("refuse_vectors", 1), ("refuse", 0)])
def test_right_or_an_error_passes(bench: Bench, name: str, right: int) -> None:
    record = judged(RUNG, name, bench)
    assert (record.verdict, record.earned) == (Verdict.PASSED, 1.0)
    assert record.evidence == {"cases": 2, "right": right}


def test_a_wrong_answer_does_not(bench: Bench) -> None:
    with pytest.raises(Ruling) as ruled:
        judged(RUNG, "silence", bench)
    assert ruled.value.verdict is Verdict.WRONG_ANSWER
    assert ruled.value.sentence.startswith("1 dimensions: Wrong:")


def test_the_rung_is_asked_of_another_function(bench: Bench) -> None:
    correct = Correct(cases, twice, lambda _case: TOLERANCE, needs=("first",))
    assert judged(Called("double", correct), "silence", bench).verdict is Verdict.PASSED
    with pytest.raises(Ruling):
        judged(Called("silence", correct), "double", bench)
    assert Called("double", correct).needs == ("first",)
    assert Called("double", correct).levels == ()


def test_style_and_levels_are_those_of_the_rung() -> None:
    class Timed:
        needs = ("correct",)
        levels = (Level(2.0, 1.0),)

        def judge(self, name: str, candidate: Candidate, bench: Any) -> RungRecord:
            told = f"{candidate.name}, {candidate.style}, {candidate.operator}"
            return RungRecord(name, Verdict.PASSED, told, 1.0)

    called = Called("kernel", Timed(), "destination")
    assert called.levels == (Level(2.0, 1.0),)
    record = called.judge("fast", Candidate("other", "file.py", operator=True), None)
    assert record.sentence == "kernel, destination, True"
