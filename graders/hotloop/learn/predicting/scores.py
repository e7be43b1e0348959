"""The quality of predictions: Brier scores, with their interval and the score of a guess.

A prediction names one outcome and a confidence. The remaining probability is split evenly among the
other outcomes. The score is Brier's original sum over all outcomes ("Verification of Forecasts
Expressed in Terms of Probability", Monthly Weather Review 78(1), 1950): 0 is best, 2 is worst. The
score is proper: stating one's true belief minimizes its expectation. A uniform guess scores 1 -
1/outcomes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from hotloop.core.document import Strict
from hotloop.core.intervals import Interval, rate_interval
from hotloop.learn.predicting.outcomes import WORDS, Kind

WORST = 2.0
GUESS = 1 - 1 / len(WORDS)
"""The score of a uniform guess."""

SURE = (0.15, 0.3, 0.5, 0.7, 0.9, 0.99)
"""The levels of confidence that the page offers; the first is about that of a guess."""

_BINS = (0.0, 0.4, 0.6, 0.8, 0.95, 1.0 + 1e-9)

Share = Annotated[float, Field(ge=0, le=1)]
Reasoning = Annotated[int, Field(ge=0, le=4)]

REASONING: Mapping[int, str] = {
    0: "no reason, or one that has nothing to do with the code",
    1: "a rule that was learned, without a link to this line",
    2: "the right mechanism, with a gap that the interviewer had to fill",
    3: "the mechanism, step by step, with the right threads, elements or bytes",
    4: "that, and where it would not hold: another width, order or device",
}


class Prediction(Strict):
    """A prediction for one item. lines, factor, width: empty or None if not predicted.

    sure: confidence, 0 to 1. reasoning: the interviewer's mark for the reason said aloud, before
    the prediction. follow_up: predicted at another size.
    """

    item: Annotated[int, Field(ge=1)]
    kind: Kind
    sure: Share
    lines: list[int] = Field(default_factory=list[int])
    factor: float | None = None
    width: int | None = None
    follow_up: Kind | None = None
    reasoning: Reasoning | None = None
    note: Annotated[str, Field(max_length=4000)] = ""


class TrueOutcome(Strict):
    """The judge's outcome of an item, as far as it can be predicted."""

    kind: Kind
    lines: list[int] = Field(default_factory=list[int])
    factor: float | None = None
    width: int | None = None
    follow_up: Kind | None = None


class Hits(Strict):
    """How often a detail was right, among the items that have it."""

    hits: int
    of: int


class ScoredPredictions(Strict):
    """All predictions on one set of items.

    brier: their mean score; interval: 95 %, for other items like these. guess: score of a uniform
    guess; constant: score if one knew only how frequent each outcome is among these items. rate:
    share of right predictions, with its 95 % interval; guess_rate: of a uniform guess.
    """

    items: int
    right: int
    rate: Interval
    guess_rate: float = 1 / len(WORDS)
    brier: float
    interval: Interval
    guess: float = GUESS
    constant: float
    lines: Hits
    bytes: Hits
    width: Hits
    follow_up: Hits = Hits(hits=0, of=0)
    reasoning: float | None = None


class VivaScore(Strict):
    """A viva's scores, separate from the score of the work.

    own: on the candidate's own code. fixed: on the items that all candidates for the role get.
    """

    own: ScoredPredictions | None
    fixed: ScoredPredictions | None


def brier(predicted: Kind, sure: float, truth: Kind) -> float:
    """Return the Brier score of one prediction, 0 to 2."""
    others = (1 - sure) / (len(WORDS) - 1)
    shares = {kind: sure if kind == predicted else others for kind in WORDS}
    return sum((share - (kind == truth)) ** 2 for kind, share in shares.items())


def scored(
    predictions: Sequence[Prediction], truths: Mapping[int, TrueOutcome]
) -> ScoredPredictions:
    """Return the scores of predictions; `truths` by item number.

    Raises ValueError if there are no predictions.
    """
    if not predictions:
        raise ValueError("there are no predictions")
    pairs = [(prediction, truths[prediction.item]) for prediction in predictions]
    each = [brier(prediction.kind, prediction.sure, truth.kind) for prediction, truth in pairs]
    marks = [prediction.reasoning for prediction in predictions if prediction.reasoning is not None]
    right = sum(prediction.kind == truth.kind for prediction, truth in pairs)
    rate = rate_interval(right, len(pairs))
    assert rate is not None, "there are predictions"
    return ScoredPredictions(
        items=len(pairs),
        right=right,
        rate=rate,
        brier=sum(each) / len(each),
        interval=mean_interval(each),
        constant=_constant([truth.kind for _, truth in pairs]),
        lines=_hits(bool(set(s.lines) & set(t.lines)) for s, t in pairs if t.lines),
        bytes=_hits(_same_factor(s.factor, t.factor) for s, t in pairs if t.kind == "bytes"),
        width=_hits(s.width == t.width for s, t in pairs if t.width is not None),
        follow_up=_hits(
            s.follow_up == t.follow_up for s, t in pairs if s.follow_up and t.follow_up
        ),
        reasoning=sum(marks) / len(marks) if marks else None,
    )


def mean_interval(scores: Sequence[float]) -> Interval:
    """Return a 95 % interval of the mean of Brier scores.

    The scores are between 0 and 2, so Wilson's interval for a rate, scaled, is conservative. Unlike
    Student's it has a width even if all scores are equal.
    """
    rate = rate_interval(sum(scores) / WORST, len(scores))
    assert rate is not None, "there are scores"
    return rate.scaled(WORST)


def _constant(kinds: Sequence[Kind]) -> float:
    """Return 1 - sum of squared shares: the score of knowing only each outcome's frequency."""
    return 1 - sum((count / len(kinds)) ** 2 for count in Counter(kinds).values())


def _same_factor(predicted: float | None, truth: float | None) -> bool:
    """Return True if two factors agree within 10 %, so that mental arithmetic suffices."""
    return predicted is not None and truth is not None and abs(predicted - truth) <= 0.1 * truth


def _hits(are_right: Iterable[bool]) -> Hits:
    hits = list(are_right)
    return Hits(hits=sum(hits), of=len(hits))


class ConfidenceBin(Strict):
    """Predictions of similar confidence. rate: share of right ones, with its 95 % interval."""

    sure: float
    count: int
    right: int
    rate: Interval


def calibration(predictions: Iterable[tuple[float, bool]]) -> list[ConfidenceBin]:
    """Return how often predictions were right, by confidence.

    predictions: pairs (confidence, right).
    """
    pairs = list(predictions)
    bins: list[ConfidenceBin] = []
    for low, high in pairwise(_BINS):
        inside = [(sure, right) for sure, right in pairs if low <= sure < high]
        right = sum(hit for _, hit in inside)
        rate = rate_interval(right, len(inside))
        if rate is not None:
            sure = sum(share for share, _ in inside) / len(inside)
            bins.append(ConfidenceBin(sure=sure, count=len(inside), right=right, rate=rate))
    return bins


def drawn(bins: Sequence[ConfidenceBin]) -> str:
    """Return a calibration curve as text: confidence, share of right ones and its interval."""
    if not bins:
        return "Nothing was predicted yet."
    rows = [
        f"{one.sure:>8.0%}  {f'{one.right} of {one.count}':>9}  {_bar(one)}  "
        f"{one.rate.low:.0%} to {one.rate.high:.0%}"
        for one in bins
    ]
    head = f"how sure      right  {'0 %':<{_STEPS // 2}}{'100 %':>{_STEPS - _STEPS // 2 + 1}}"
    legend = "o: how sure; x: how often right, with its 95 % interval"
    return "\n".join([head, *rows, legend])


_STEPS = 20


def _bar(one: ConfidenceBin) -> str:
    """Return one row of the plot, with dashes over the interval."""
    cells = [" "] * (_STEPS + 1)
    for step in range(round(_STEPS * one.rate.low), round(_STEPS * one.rate.high) + 1):
        cells[step] = "-"
    cells[round(_STEPS * one.right / one.count)] = "x"
    cells[round(_STEPS * one.sure)] = "o"
    return "".join(cells)
