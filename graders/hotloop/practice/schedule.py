"""When a question returns: FSRS-6, the free spaced repetition scheduler, by its own library.

It models how well something is remembered: `stability`, the days after which nine of ten are still
known, and `difficulty`. Both follow from the marks and their times alone, so that nothing but these
is kept. The library's published parameters are used, fitted to many people's reviews
(https://github.com/open-spaced-repetition/py-fsrs). Three of its settings are ours: no steps of
minutes (an answer of ten minutes is not drilled twice in an hour), no random shift of dates (a page
and the terminal shall agree), and at most a year.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from hotloop.practice.state import Review

if TYPE_CHECKING:
    from fsrs import Scheduler

RATINGS = (1, 1, 2, 3, 4)
"""FSRS's ratings (again, hard, good, easy) of the marks 0 to 4."""

LONGEST_DAYS = 365
RETENTION = 0.9


@dataclass(frozen=True)
class Standing:
    """Where a question stands with the learner. stability: in days."""

    times: int
    last: Review
    due: datetime
    stability: float
    difficulty: float

    def is_due(self, now: datetime) -> bool:
        """Whether its time has come."""
        return self.due <= now


def standings(reviews: Iterable[Review]) -> dict[str, Standing]:
    """Where each practised question stands."""
    by_question: dict[str, list[Review]] = {}
    for review in sorted(reviews, key=lambda review: review.at):
        by_question.setdefault(review.question, []).append(review)
    return {question: _standing(found) for question, found in by_question.items()}


def document() -> Mapping[str, Any]:
    """What a page needs that schedules by itself: the library's settings, and ratings by mark."""
    return {**_scheduler().to_dict(), "ratings": list(RATINGS)}


def _standing(reviews: list[Review]) -> Standing:
    from fsrs import Card, Rating

    # Ids of cards are the library's; by default it sleeps to draw one.
    card = Card(card_id=1, due=reviews[0].at)
    for review in reviews:
        at = review.at.astimezone(UTC)
        card, _ = _scheduler().review_card(card, Rating(RATINGS[review.mark]), at)
    assert card.stability is not None
    assert card.difficulty is not None
    return Standing(len(reviews), reviews[-1], card.due, card.stability, card.difficulty)


@cache
def _scheduler() -> Scheduler:
    # Here, so that commands which schedule nothing start without it.
    from fsrs import Scheduler

    return Scheduler(
        desired_retention=RETENTION,
        learning_steps=(),
        relearning_steps=(),
        maximum_interval=LONGEST_DAYS,
        enable_fuzzing=False,
    )
