"""How good predictions are: Brier's score, with its interval and what guessing would get.

A prediction names one of the outcomes and how sure its author is. The rest of the certainty is
spread evenly over the other outcomes, and the score is Brier's own sum over all of them
("Verification of Forecasts Expressed in Terms of Probability", Monthly Weather Review 78(1), 1950):
0 is best, 2 is worst. It is proper: whoever says what they believe does best. An even guess gets
1 - 1/outcomes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from hotloop.predicting.outcomes import WORDS, Kind
from hotloop.problem import Strict
from hotloop.takehome.intervals import Interval, rate_interval

WORST = 2.0
GUESS = 1 - 1 / len(WORDS)
"""The score of somebody who holds all outcomes for equally likely."""

SURE = (0.15, 0.3, 0.5, 0.7, 0.9, 0.99)
"""What the page offers for how sure one is; the first is about as sure as a guess."""

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
    """What somebody said of an item. lines, factor, width: empty or None where nothing was said.

    reasoning: a person's mark for the reasons given.
    """

    item: Annotated[int, Field(ge=1)]
    kind: Kind
    sure: Share
    lines: list[int] = Field(default_factory=list[int])
    factor: float | None = None
    width: int | None = None
    reasoning: Reasoning | None = None
    note: Annotated[str, Field(max_length=4000)] = ""


class Truth(Strict):
    """What the judge said of the item, as far as it can be predicted."""

    kind: Kind
    lines: list[int] = Field(default_factory=list[int])
    factor: float | None = None
    width: int | None = None


class Hits(Strict):
    """How often a detail was right, of the items that have it."""

    hits: int
    of: int


class Scored(Strict):
    """All predictions on one set of items. brier: their mean; interval: 95 %, for other items like
    these. guess: of an even guess; constant: of somebody who knows how often each outcome is among
    these items and nothing else. rate: of right ones, its 95 % interval; guess_rate: of an even
    guess.
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
    reasoning: float | None = None


class VivaScore(Strict):
    """A viva, apart from the score of the work. own: on the candidate's own code. fixed: on the
    items that everybody for the role is asked.
    """

    own: Scored | None
    fixed: Scored | None


def brier(said: Kind, sure: float, truth: Kind) -> float:
    """Of one prediction; 0 to 2."""
    others = (1 - sure) / (len(WORDS) - 1)
    held = {kind: sure if kind == said else others for kind in WORDS}
    return sum((share - (kind == truth)) ** 2 for kind, share in held.items())


def scored(predictions: Sequence[Prediction], truths: Mapping[int, Truth]) -> Scored:
    """Of predictions on items, whose truths are given by number. ValueError for none."""
    if not predictions:
        raise ValueError("there are no predictions")
    pairs = [(said, truths[said.item]) for said in predictions]
    each = [brier(said.kind, said.sure, truth.kind) for said, truth in pairs]
    marks = [said.reasoning for said in predictions if said.reasoning is not None]
    right = sum(said.kind == truth.kind for said, truth in pairs)
    rate = rate_interval(right, len(pairs))
    assert rate is not None, "there are predictions"
    return Scored(
        items=len(pairs),
        right=right,
        rate=rate,
        brier=sum(each) / len(each),
        interval=mean_interval(each),
        constant=_constant([truth.kind for _, truth in pairs]),
        lines=_hits(bool(set(s.lines) & set(t.lines)) for s, t in pairs if t.lines),
        bytes=_hits(_same_factor(s.factor, t.factor) for s, t in pairs if t.kind == "bytes"),
        width=_hits(s.width == t.width for s, t in pairs if t.width is not None),
        reasoning=sum(marks) / len(marks) if marks else None,
    )


def mean_interval(scores: Sequence[float]) -> Interval:
    """95 % interval of the mean of Brier scores. They lie between 0 and 2, so that Wilson's
    interval for a rate is rather too wide for them; unlike Student's it has a width even where all
    scores are alike.
    """
    found = rate_interval(sum(scores) / WORST, len(scores))
    assert found is not None, "there are scores"
    return found.scaled(WORST)


def _constant(kinds: Sequence[Kind]) -> float:
    """1 - sum of squared shares: what it costs to know only how many items have which outcome."""
    return 1 - sum((count / len(kinds)) ** 2 for count in Counter(kinds).values())


def _same_factor(said: float | None, truth: float | None) -> bool:
    """Within a tenth: nobody has to divide in their head."""
    return said is not None and truth is not None and abs(said - truth) <= 0.1 * truth


def _hits(found: Iterable[bool]) -> Hits:
    hits = list(found)
    return Hits(hits=sum(hits), of=len(hits))


class Bin(Strict):
    """Predictions that were about equally sure. rate: of right ones, its 95 % interval."""

    sure: float
    count: int
    right: int
    rate: Interval


def calibration(said: Iterable[tuple[float, bool]]) -> list[Bin]:
    """How often predictions were right, by how sure they were; of pairs (sure, was right)."""
    pairs = list(said)
    found: list[Bin] = []
    for low, high in pairwise(_BINS):
        inside = [(sure, right) for sure, right in pairs if low <= sure < high]
        right = sum(hit for _, hit in inside)
        rate = rate_interval(right, len(inside))
        if rate is not None:
            sure = sum(share for share, _ in inside) / len(inside)
            found.append(Bin(sure=sure, count=len(inside), right=right, rate=rate))
    return found


def drawn(bins: Sequence[Bin]) -> str:
    """A calibration curve as text: how sure, how often right, and what that leaves possible."""
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


def _bar(one: Bin) -> str:
    """From the interval's low end to its high one."""
    cells = [" "] * (_STEPS + 1)
    for step in range(round(_STEPS * one.rate.low), round(_STEPS * one.rate.high) + 1):
        cells[step] = "-"
    cells[round(_STEPS * one.right / one.count)] = "x"
    cells[round(_STEPS * one.sure)] = "o"
    return "".join(cells)
