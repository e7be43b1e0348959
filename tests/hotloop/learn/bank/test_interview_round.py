"""A round of a given length: what fits, in which order, from which minute."""

from collections import Counter
from collections.abc import Callable

import pytest

from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.interview_round import CLOSING, WARM_UP, fit
from hotloop.learn.bank.selection import QuestionSelection

LEVELS = ["beginner", "intermediate", "advanced"]
Ask = Callable[..., CatalogEntry]


@pytest.mark.parametrize("minutes", [15, 30, 45, 60, 90])
@pytest.mark.parametrize("role", ["kernels", "inference"])
def test_a_round_is_filled_and_not_longer(role: str, minutes: int) -> None:
    entries = QuestionSelection(role=role).entries()
    plan = fit(entries, minutes)
    assert plan.questions[0].begins == WARM_UP
    for one, following in zip(plan.questions, plan.questions[1:], strict=False):
        assert one.ends == following.begins
        levels = [LEVELS.index(each.entry.question.level) for each in (one, following)]
        assert levels == sorted(levels)
    shortest = min(entry.question.minutes for entry in entries)
    assert plan.closing - shortest < plan.questions[-1].ends <= plan.closing == minutes - CLOSING


def test_it_is_of_several_modules_and_levels() -> None:
    """The bank's order is by module: its first ten would all be of one."""
    plan = fit(QuestionSelection(role="inference", round="technical").entries(), 60)
    modules = Counter(one.entry.module for one in plan.questions)
    assert len(modules) >= 4
    assert max(modules.values()) <= 2
    assert len({one.entry.question.level for one in plan.questions}) >= 2


def test_it_is_the_same_for_every_candidate_and_another_with_another_seed() -> None:
    entries = QuestionSelection(role="kernels").entries()
    assert fit(entries, 60) == fit(list(reversed(entries)), 60)
    keys = {tuple(o.entry.key for o in fit(entries, 60, seed).questions) for seed in "abcd"}
    assert len(keys) > 1


def test_named_questions_keep_their_order_and_what_does_not_fit_is_said(ask: Ask) -> None:
    entries = [
        ask(id="hard", title="A", minutes=12, level="advanced"),
        ask(id="long", title="B", minutes=30, level="beginner"),
        ask(id="easy", title="C", minutes=5, level="beginner"),
    ]
    plan = fit(entries, 30, in_order=True)
    assert [one.entry.question.id for one in plan.questions] == ["hard", "easy"]
    assert [entry.question.id for entry in plan.spare] == ["long"]
    assert fit(entries[1:2], 20, in_order=True).questions == ()
