from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from hotloop.practice.schedule import LONGEST_DAYS, document, standings
from hotloop.practice.state import Review

ReviewOf = Callable[..., Review]


def _days(reviews: list[Review]) -> int:
    (standing,) = standings(reviews).values()
    return (standing.due - standing.last.at).days


def test_a_better_mark_waits_longer(review: ReviewOf) -> None:
    first = [_days([review(mark)]) for mark in range(5)]
    assert first[0] == first[1] == 1
    assert first[1] <= first[2] < first[3] < first[4]


def test_intervals_grow_while_it_goes_well_and_shrink_when_it_does_not(review: ReviewOf) -> None:
    reviews = [review(3)]
    grown = [_days(reviews)]
    for _ in range(4):
        day = (standings(reviews)[reviews[0].question].due - reviews[0].at) / timedelta(days=1)
        reviews.append(review(3, day))
        grown.append(_days(reviews))
    assert grown == sorted(set(grown))
    day = (standings(reviews)[reviews[0].question].due - reviews[0].at) / timedelta(days=1)
    assert _days([*reviews, review(0, day)]) < grown[-1]


def test_nothing_waits_for_more_than_a_year(review: ReviewOf) -> None:
    assert _days([review(4, day * 300) for day in range(12)]) == LONGEST_DAYS


def test_the_order_of_a_file_does_not_matter(review: ReviewOf) -> None:
    reviews = [review(3, 0), review(1, 3), review(4, 9), review(2, 1, "first.other")]
    assert standings(reviews) == standings(reviews[::-1])
    assert standings(reviews)["first.bytes_of_a_batch"].times == 3


def test_a_question_is_due_when_its_day_has_come(review: ReviewOf) -> None:
    (standing,) = standings([review(3)]).values()
    assert not standing.is_due(standing.due - timedelta(seconds=1))
    assert standing.is_due(standing.due)


def test_a_page_gets_all_that_it_needs_to_schedule_by_itself(review: ReviewOf) -> None:
    told = document()
    assert len(told["parameters"]) == 21
    assert told["enable_fuzzing"] is False
    assert told["learning_steps"] == told["relearning_steps"] == []
    for mark in range(5):
        (standing,) = standings([review(mark)]).values()
        assert standing.stability == pytest.approx(told["parameters"][told["ratings"][mark] - 1])
