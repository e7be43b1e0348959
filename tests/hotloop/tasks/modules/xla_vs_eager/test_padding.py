"""Sizes to pad to: the optimum agrees with brute force, and worse answers are reported."""

import json
from itertools import combinations

import numpy as np
import pytest

from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.xla_vs_eager import padding

LENGTHS = [1, 2, 2, 3, 5, 5, 8, 9, 13]


@pytest.mark.parametrize("budget", [1, 2, 3, 7, 9])
def test_the_fewest_rows_are_what_trying_everything_finds(budget: int) -> None:
    sizes = sorted(set(LENGTHS))
    tried = [
        sum(min(s for s in chosen if s >= length) for length in LENGTHS)
        for count in range(1, min(budget, len(sizes)) + 1)
        for chosen in combinations(sizes, count)
        if max(chosen) == max(sizes)
    ]
    assert padding.fewest_rows(LENGTHS, budget) == min(tried)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([13], None),
        ([5, 13], None),
        ([5, 8, 13], "3 programs"),
        ([5, 8], "no size holds the batch of 13"),
        ([], "not a list of sizes"),
        ([13.0], None),
        ([13.5], "not a list of sizes"),
        ([True, 13], "not a list of sizes"),
        ([0, 13], "not a list of sizes"),
        ("13", "not a list of sizes"),
    ],
)
def test_the_budget(answer: object, message: str | None) -> None:
    mismatch = padding.budget_mismatch(answer, LENGTHS, 2)
    assert mismatch is None if message is None else message in (mismatch or "")


def test_sizes_that_nobody_uses_are_no_programs() -> None:
    assert padding.budget_mismatch([5, 13, 20, 40], LENGTHS, 2) is None


def test_waste_is_reported_with_what_is_possible() -> None:
    best = padding.fewest_rows(LENGTHS, 2)
    assert f"with 2 sizes {best} are enough" in (padding.waste_mismatch([13], LENGTHS, 2) or "")


def test_habits_waste_too_much_somewhere() -> None:
    """Neither powers of two nor one size for all passes all histories."""
    questions = list(padding.questions(np.random.default_rng(0), padding.waste_mismatch))
    assert any(question.mismatch([1 << n for n in range(10)]) for question in questions)
    assert all(question.mismatch([256]) for question in questions[:2])


@pytest.mark.parametrize("seed", range(20))
def test_small_sizes_need_programs_too(seed: int) -> None:
    """One history has a single size; with two sizes, a program for the larger is not enough."""
    questions = list(padding.questions(np.random.default_rng(seed), padding.waste_mismatch))
    given = [question.arguments[0] for question in questions]
    lengths = [json.loads(file.data) for file in given if isinstance(file, GivenFile)]
    assert any(len(set(each)) == 1 for each in lengths)
    for question, each in zip(questions, lengths, strict=True):
        if len(set(each)) == 2:
            assert question.mismatch(sorted(set(each))) is None
            assert "rows are computed" in (question.mismatch([max(each)]) or "")
