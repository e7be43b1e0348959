"""How far the reviewers of one work agree: their marks side by side."""

from collections.abc import Iterable, Sequence

from hotloop.core.document import Strict, Text
from hotloop.takehome.scorecard import Criterion, Decision, Mark, Review

APART = 2
"""Marks that differ by this much or more need a conversation before anything is decided."""


class MarkedCriterion(Strict):
    """One criterion. marks: in the reviewers' order; None where a reviewer gave none."""

    key: Text
    title: Text
    marks: list[int | None]

    @property
    def spread(self) -> int | None:
        """Difference between highest and lowest mark; None for fewer than two."""
        marks = [mark for mark in self.marks if mark is not None]
        return max(marks) - min(marks) if len(marks) > 1 else None


class Agreement(Strict):
    """reviewers and decisions are in the same order. criteria: those that somebody marked."""

    reviewers: list[Text]
    decisions: list[Decision]
    knew_name: list[bool]
    criteria: list[MarkedCriterion]

    @property
    def spreads(self) -> list[int]:
        """The differences at the criteria with two marks or more."""
        return [one.spread for one in self.criteria if one.spread is not None]

    def sentence(self) -> str:
        """Return the agreement in words; "" for fewer than two reviewers."""
        if len(self.reviewers) < 2:
            return ""
        spreads, same = self.spreads, self.spreads.count(0)
        near = sum(spread < APART for spread in spreads)
        marks = (
            f"Of {len(spreads)} criteria that more than one reviewer marked, {same} have equal "
            f"marks and {near} differ by at most {APART - 1}."
        )
        if len(set(self.decisions)) == 1:
            return f"{marks} All decided: {self.decisions[0]}."
        said = zip(self.reviewers, self.decisions, strict=True)
        return f"{marks} They decided differently: {', '.join(f'{w}: {d}' for w, d in said)}."


def agreement(reviews: Sequence[Review], criteria: Iterable[Criterion]) -> Agreement:
    """Return the reviews side by side."""
    rows = [
        MarkedCriterion(
            key=criterion.key,
            title=criterion.title,
            marks=[review.marks.get(criterion.key, Mark()).mark for review in reviews],
        )
        for criterion in criteria
    ]
    return Agreement(
        reviewers=[review.by for review in reviews],
        decisions=[review.decision for review in reviews],
        knew_name=[review.name_known for review in reviews],
        criteria=[row for row in rows if set(row.marks) != {None}],
    )
