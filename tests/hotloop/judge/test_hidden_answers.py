"""Questions that a program of ours makes, with the truth; another function may be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.program import Program
from hotloop.judge.questions import Question, ask_plainly
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.verdict import Ruling, Verdict

CANDIDATES = """
def squared(n):
    return n * n

def doubled(n):
    return 2 * n
"""
PROGRAM = "def square(n):\n    return n * n\n"


@pytest.fixture
def bench(tmp_path: Path, bench_over: Callable[..., Bench]) -> Bench:
    (tmp_path / "candidates.py").write_text(CANDIDATES)
    return bench_over(tmp_path, isolation="none")


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("ours") / "program.py"
    path.write_text(PROGRAM)
    return Program({"program.py": path}, "program.py")


def rung(program: Program, entry: str | None = None) -> HiddenAnswers:
    def questions(rng: np.random.Generator, bench: Bench) -> Iterator[Question]:
        number = int(rng.integers(3, 100))
        truth = program.trusted(bench).ask("square", number)
        yield Question("A number", (number,), lambda said: None if said == truth else "it is wrong")

    return HiddenAnswers(questions, entry)


def test_the_tasks_own_function_is_asked(bench: Bench, program: Program) -> None:
    candidate = Candidate("squared", "candidates.py", "json")
    assert rung(program).judge("correct", candidate, bench).verdict is Verdict.PASSED


def test_another_one_is_where_it_is_named(bench: Bench, program: Program) -> None:
    candidate = Candidate("squared", "candidates.py", "json")
    with pytest.raises(Ruling, match=r"A number: it is wrong\.$"):
        rung(program, "doubled").judge("correct", candidate, bench)


def test_a_question_may_come_from_another_function_of_the_candidates(bench: Bench) -> None:
    candidate = Candidate("squared", "candidates.py", "json")

    def questions(rng: np.random.Generator, bench: Bench) -> Iterator[Question]:
        number = int(rng.integers(3, 100))
        doubled = ask_plainly(bench.worker(Candidate("doubled", "candidates.py", "json")), (7,), 5)
        assert doubled == 14
        yield Question("A number", (number,), lambda said: None if said == number**2 else "wrong")

    record = HiddenAnswers(questions).judge("correct", candidate, bench)
    assert record.verdict is Verdict.PASSED
