"""When a question returns, for marks that are not given on the practice page.

The same algorithm with the same settings as `page/schedule.js`, by the library whose formulas that
script uses; the practice page computes all dates anew when it writes. The library is in the
optional group `mcp`.
"""

from collections.abc import Iterable
from datetime import datetime

from fsrs import Card, Rating, Scheduler

from hotloop.learn.practice.state import Review

SCHEDULER = Scheduler(
    desired_retention=0.9,
    learning_steps=(),
    relearning_steps=(),
    maximum_interval=365,
    enable_fuzzing=False,
)
RATINGS = (Rating.Again, Rating.Again, Rating.Hard, Rating.Good, Rating.Easy)
"""The rating of each mark, 0 to 4."""


def due(reviews: Iterable[Review]) -> dict[str, datetime]:
    """Return when each reviewed question is due."""
    cards: dict[str, Card] = {}
    for review in sorted(reviews, key=lambda each: each.at):
        card = cards.get(review.question) or Card(card_id=1, due=review.at)
        rated, _ = SCHEDULER.review_card(card, RATINGS[review.mark], review.at)
        cards[review.question] = rated
    return {question: card.due for question, card in cards.items()}
