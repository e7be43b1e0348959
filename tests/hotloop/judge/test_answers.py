"""Questions about one function: all must be answered correctly, or each earns its share."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.answers import Answers
from hotloop.judge.questions import Question
from hotloop.judge.session import Session

NUMBERS = (1, 2, 3, 4)
Judged = tuple[Verdict, float, str]


def questions(_rng: np.random.Generator) -> Iterator[Question]:
    def mismatch(number: int, answer: object) -> str | None:
        return None if answer == number * number else f"{answer} is no square of {number}"

    for number in NUMBERS:
        yield Question(f"Number {number}", (number,), partial(mismatch, number))


@pytest.fixture
def judged(tmp_path: Path, session_over: Callable[..., Session]) -> Callable[[str, bool], Judged]:
    def judge(body: str, shares: bool) -> Judged:
        (tmp_path / "candidate.py").write_text(f"def squared(n):\n    return {body}\n")
        candidate = Candidate("squared", "candidate.py", "json")
        session = session_over(tmp_path, isolation="none").about(candidate)
        record = judge_check("correct", Answers(questions, shares=shares), session)
        return record.verdict, record.earned, record.sentence

    return judge


@pytest.mark.parametrize("shares", [False, True])
def test_right_answers_earn_everything(judged: Callable[[str, bool], Judged], shares: bool) -> None:
    said = "Right on all 4 hidden questions."
    assert judged("n * n", shares) == (Verdict.PASSED, 1.0, said)


def test_one_miss_costs_its_share_and_is_named(judged: Callable[[str, bool], Judged]) -> None:
    said = "3 of 4 are right. Number 3: 8 is no square of 3."
    assert judged("n * n if n != 3 else 8", True) == (Verdict.PARTIAL, 0.75, said)


def test_one_miss_costs_everything_elsewhere(judged: Callable[[str, bool], Judged]) -> None:
    said = "Number 3: 8 is no square of 3."
    assert judged("n * n if n != 3 else 8", False) == (Verdict.WRONG_ANSWER, 0.0, said)


def test_nothing_right_is_wrong_and_not_a_share_of_nothing(
    judged: Callable[[str, bool], Judged],
) -> None:
    said = "Number 1: 0 is no square of 1."
    assert judged("0", True) == (Verdict.WRONG_ANSWER, 0.0, said)


def test_one_answer_to_all_questions_is_no_share(judged: Callable[[str, bool], Judged]) -> None:
    said = "Number 1: 4 is no square of 1."
    assert judged("4", True) == (Verdict.WRONG_ANSWER, 0.0, said)
    assert judged("4 if n < 4 else 5", True)[1] == 0.25


def test_an_exception_is_no_share(judged: Callable[[str, bool], Judged]) -> None:
    verdict, earned, _ = judged("n * n if n != 4 else 1 // 0", True)
    assert (verdict, earned) == (Verdict.RUNTIME_ERROR, 0.0)
