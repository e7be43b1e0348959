"""Brier scores against known values; and limits of what an interval may claim."""

import random

import pytest

from hotloop.core.intervals import rate_interval
from hotloop.learn.predicting.outcomes import WORDS
from hotloop.learn.predicting.scores import (
    GUESS,
    Prediction,
    TrueOutcome,
    brier,
    calibration,
    mean_interval,
    scored,
)

SEVENTH = 1 / len(WORDS)


def test_known_values() -> None:
    assert brier("race", 1.0, "race") == 0
    assert brier("race", 1.0, "wrong") == pytest.approx(2)
    assert brier("race", SEVENTH, "race") == pytest.approx(1 - SEVENTH)
    assert brier("race", SEVENTH, "wrong") == pytest.approx(GUESS) == pytest.approx(6 / 7)
    # 0.3² + 6 · 0.05², and 0.7² + 0.95² + 5 · 0.05²
    assert brier("race", 0.7, "race") == pytest.approx(0.105)
    assert brier("race", 0.7, "wrong") == pytest.approx(1.405)


def test_who_says_what_they_believe_does_best() -> None:
    """For somebody who is right six times out of ten."""

    def expected(sure: float) -> float:
        return 0.6 * brier("race", sure, "race") + 0.4 * brier("race", sure, "wrong")

    best = min((sure / 100 for sure in range(101)), key=expected)
    assert best == pytest.approx(0.6, abs=0.011)


def said(item: int, kind: str, sure: float = 0.9, **more: object) -> Prediction:
    return Prediction.model_validate({"item": item, "kind": kind, "sure": sure, **more})


def test_a_viva() -> None:
    truths = {
        1: TrueOutcome(kind="race", lines=[60, 63]),
        2: TrueOutcome(kind="bytes", factor=1.5),
        3: TrueOutcome(kind="wrong", width=31),
        4: TrueOutcome(kind="none"),
    }
    given = [
        said(1, "race", lines=[63], reasoning=4),
        said(2, "bytes", factor=1.55, reasoning=3),
        said(3, "wrong", width=256),
        said(4, "wrong"),
    ]
    found = scored(given, truths)
    assert (found.items, found.right) == (4, 3)
    assert (found.lines.hits, found.lines.of) == (1, 1)
    assert (found.bytes.hits, found.bytes.of) == (1, 1)
    assert (found.width.hits, found.width.of) == (0, 1)
    assert found.reasoning == 3.5
    assert found.brier == pytest.approx(
        (3 * brier("race", 0.9, "race") + brier("race", 0.9, "none")) / 4
    )
    assert found.constant == pytest.approx(1 - 4 / 16), "four outcomes, once each"
    assert found.rate == rate_interval(3, 4)


def test_nothing_said_of_a_detail_is_no_hit() -> None:
    found = scored([said(1, "race")], {1: TrueOutcome(kind="race", lines=[3], width=7)})
    assert (found.lines.hits, found.width.hits) == (0, 0)
    assert found.reasoning is None


def test_no_predictions_are_no_score() -> None:
    with pytest.raises(ValueError, match="no predictions"):
        scored([], {})


def test_few_perfect_answers_prove_little() -> None:
    """Wilson's bound for 0 of 8 is 0.324; the score's is twice that."""
    found = mean_interval([0.0] * 8)
    assert found.low == 0
    assert found.high == pytest.approx(2 * 0.32442, abs=1e-4)
    assert mean_interval([2.0] * 8).high == 2
    wide, narrow = mean_interval([0.5] * 4), mean_interval([0.5] * 40)
    assert wide.width > narrow.width


def test_the_interval_covers() -> None:
    """In 400 vivas of 8 questions, at least 95 % of the intervals contain the true mean."""
    rng = random.Random(3)
    right, wrong = brier("race", 0.8, "race"), brier("race", 0.8, "wrong")
    truth = 0.7 * right + 0.3 * wrong
    vivas = [[right if rng.random() < 0.7 else wrong for _ in range(8)] for _ in range(400)]
    held = sum(i.low <= truth <= i.high for i in map(mean_interval, vivas))
    assert held >= 0.95 * 400


def test_a_calibration_curve() -> None:
    bins = calibration([(0.5, True), (0.55, False), (0.9, True), (0.99, True), (1.0, False)])
    assert [(one.count, one.right) for one in bins] == [(2, 1), (1, 1), (2, 1)]
    assert bins[0].sure == pytest.approx(0.525)
    assert calibration([]) == []
