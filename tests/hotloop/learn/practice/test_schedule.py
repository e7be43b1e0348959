"""When a question returns: the page's scheduler against the library whose formulas it uses."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fsrs import Card

from hotloop.learn.practice import schedule
from hotloop.learn.practice.state import Review

JavaScript = Callable[[str, object], Any]
ReviewOf = Callable[..., Review]

STANDINGS = "return Object.fromEntries(hotloop.schedule.standings(given))"


@pytest.fixture
def days(javascript: JavaScript) -> Callable[[list[list[Review]]], list[int]]:
    """Returns for each history the days after which the question returns."""

    def found(histories: list[list[Review]]) -> list[int]:
        body = (
            "return given.map((reviews) => {"
            "  const [standing] = hotloop.schedule.standings(reviews).values();"
            "  return (standing.due - Date.parse(standing.last.at)) / 86_400_000 });"
        )
        return javascript(body, [[r.model_dump(mode="json") for r in each] for each in histories])

    return found


def histories(draw: random.Random) -> list[Review]:
    """Questions practiced a few times: twice a day, after weeks, after years."""
    reviews: list[Review] = []
    for n in range(40):
        at, good = draw.uniform(0, 900), draw.random()
        for _ in range(draw.randint(1, 9)):
            mark = draw.randint(3, 4) if draw.random() < good else draw.randint(0, 4)
            reviews.append(made(f"a.q{n}", at, mark))
            at += draw.choice([0.01, 0.9, 1, 1.5, 8, 30, 200])
    return reviews


def made(question: str, day: float, mark: int) -> Review:
    at = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=day)
    return Review(question=question, at=at, mark=mark, seconds=9, language="en")


def by_library(reviews: list[Review]) -> Card:
    card = Card(card_id=1, due=reviews[0].at)
    for review in reviews:
        card, _ = schedule.SCHEDULER.review_card(card, schedule.RATINGS[review.mark], review.at)
    return card


def test_questions_return_when_the_library_says(javascript: JavaScript) -> None:
    reviews = [review for n in range(5) for review in histories(random.Random(n))]
    by_question: dict[str, list[Review]] = {}
    for review in sorted(reviews, key=lambda each: each.at):
        by_question.setdefault(review.question, []).append(review)
    random.Random(1).shuffle(reviews)
    found = javascript(STANDINGS, [each.model_dump(mode="json") for each in reviews])
    assert found.keys() == by_question.keys()
    due = {key: round(at.timestamp() * 1000) for key, at in schedule.due(reviews).items()}
    assert due == {key: standing["due"] for key, standing in found.items()}
    for key, own in by_question.items():
        card = by_library(own)
        assert found[key]["due"] == round(card.due.timestamp() * 1000), key
        assert found[key]["stability"] == pytest.approx(card.stability, rel=1e-9)
        assert found[key]["difficulty"] == pytest.approx(card.difficulty, rel=1e-9)
        assert found[key]["times"] == len(own)
        assert found[key]["last"] == own[-1].model_dump(mode="json")


def test_a_better_mark_waits_longer(days: Any, review: ReviewOf) -> None:
    first = days([[review(mark)] for mark in range(5)])
    assert first[0] == first[1] == 1
    assert first[1] <= first[2] < first[3] < first[4]


def test_nothing_waits_for_more_than_a_year(days: Any, review: ReviewOf) -> None:
    assert days([[review(4, day * 300) for day in range(12)]]) == [365]
