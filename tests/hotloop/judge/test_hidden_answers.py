"""Questions made by a trusted program, with the truth; another function may be called."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.hidden_answers import HiddenAnswers
from hotloop.judge.program import Program
from hotloop.judge.questions import Question, ask_plainly
from hotloop.judge.session import Session

CANDIDATES = """
def squared(n):
    return n * n

def doubled(n):
    return 2 * n
"""
PROGRAM = "def square(n):\n    return n * n\n"


@pytest.fixture
def session(tmp_path: Path, session_over: Callable[..., Session]) -> Session:
    (tmp_path / "candidates.py").write_text(CANDIDATES)
    return session_over(tmp_path, isolation="none")


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("ours") / "program.py"
    path.write_text(PROGRAM)
    return Program({"program.py": path}, "program.py")


def check(program: Program, entry: str | None = None) -> HiddenAnswers:
    def questions(rng: np.random.Generator, session: Session) -> Iterator[Question]:
        number = int(rng.integers(3, 100))
        truth = program.trusted(session).ask("square", number)
        yield Question("A number", (number,), lambda said: None if said == truth else "it is wrong")

    return HiddenAnswers(questions, entry=entry)


@pytest.mark.slow
def test_the_tasks_own_function_is_asked(session: Session, program: Program) -> None:
    candidate = Candidate("squared", "candidates.py", "json")
    assert (
        judge_check("correct", check(program), session.about(candidate)).verdict is Verdict.PASSED
    )


@pytest.mark.slow
def test_another_one_is_where_it_is_named(session: Session, program: Program) -> None:
    candidate = Candidate("squared", "candidates.py", "json")
    record = judge_check("correct", check(program, "doubled"), session.about(candidate))
    assert record.verdict is Verdict.WRONG_ANSWER
    assert record.sentence == "A number: it is wrong."


def test_a_wrong_answer_costs_its_share_only(session: Session) -> None:
    def questions(_rng: np.random.Generator, _session: Session) -> Iterator[Question]:
        for number in (0, 1, 2, 3):
            yield Question(
                f"{number}", (number,), lambda said, n=number: None if said == 2 * n else "wrong"
            )

    candidate = Candidate("squared", "candidates.py", "json")
    record = judge_check("correct", HiddenAnswers(questions, shares=True), session.about(candidate))
    assert (record.verdict, record.earned) == (Verdict.PARTIAL, 0.5)


def test_a_question_may_come_from_another_function_of_the_candidates(session: Session) -> None:
    candidate = Candidate("squared", "candidates.py", "json")

    def questions(rng: np.random.Generator, session: Session) -> Iterator[Question]:
        number = int(rng.integers(3, 100))
        doubled = ask_plainly(session.of("doubled").worker(), (7,), 5)
        assert doubled == 14
        yield Question("A number", (number,), lambda said: None if said == number**2 else "wrong")

    record = judge_check("correct", HiddenAnswers(questions), session.about(candidate))
    assert record.verdict is Verdict.PASSED
