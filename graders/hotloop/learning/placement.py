"""The placement test: about eight questions that find the module to begin with.

The rule. The modules on the way to the end of a track are grouped by tier. The test begins in the
middle tier. Of each tier it asks at most four questions and stops as soon as the outcome is
certain: three right and the tier is known, two wrong and it is not. (Where a tier has only three
items, two must be right; where it has two, both; with fewer it counts as not known.) If the tier is
known, the next test is above it, else below it, until every tier is either known or not: one that
lies below a known tier is known, too. With three tiers that makes four to eight questions. One
begins with the first module on the way whose tier is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hotloop.curriculum import Module, Tier
from hotloop.learning.items import Item

AT_MOST = 4
FEWEST = 2

RULE = (
    f"The test begins in the middle tier. A tier is known with {AT_MOST - 1} of {AT_MOST} right; "
    "then the tier above is tried, else the one below. What lies below a known tier counts as "
    "known. You begin with the first module of the way whose tier is not known."
)


@dataclass(frozen=True)
class Given:
    """An item and whether its answer was right."""

    item: Item
    right: bool


@dataclass(frozen=True)
class Tried:
    """A tier that was tested."""

    tier: Tier
    given: tuple[Given, ...]
    needed: int
    known: bool

    @property
    def right(self) -> int:
        """How many answers were right."""
        return sum(given.right for given in self.given)


@dataclass(frozen=True)
class Placed:
    """The outcome. known: the tiers from the bottom; start: None when nothing is left to learn."""

    tried: tuple[Tried, ...]
    known: tuple[Tier, ...]
    skipped: tuple[Module, ...]
    start: Module | None

    @property
    def given(self) -> tuple[Given, ...]:
        """All answers, in the order in which they were given."""
        return tuple(given for tried in self.tried for given in tried.given)


def place(
    way: Sequence[Module],
    items: Mapping[Tier, Sequence[Item]],
    answer: Callable[[Item, int], bool],
) -> Placed:
    """Ask and decide. answer: whether the learner gets the item right; the number counts from 1."""
    tiers = list(items)
    tried: list[Tried] = []
    low, high = 0, len(tiers)
    asked = 0
    while low < high:
        middle = (low + high) // 2
        outcome = _try(tiers[middle], items[tiers[middle]], asked, answer)
        asked += len(outcome.given)
        tried.append(outcome)
        if outcome.known:
            low = middle + 1
        else:
            high = middle
    known = tuple(tiers[:low])
    start = next((module for module in way if module.tier not in known), None)
    skipped = way if start is None else way[: way.index(start)]
    return Placed(tuple(tried), known, tuple(skipped), start)


def most_questions(items: Mapping[Tier, Sequence[Item]]) -> int:
    """How many questions there can be."""
    tiers = list(items)

    def from_(low: int, high: int) -> int:
        if low == high:
            return 0
        middle = (low + high) // 2
        here = min(AT_MOST, len(items[tiers[middle]]))
        return here + max(from_(low, middle), from_(middle + 1, high))

    return from_(0, len(tiers))


def _try(
    tier: Tier, items: Sequence[Item], asked: int, answer: Callable[[Item, int], bool]
) -> Tried:
    chosen = items[:AT_MOST]
    needed = max(FEWEST, len(chosen) - 1)
    given: list[Given] = []
    for item in chosen if len(chosen) >= FEWEST else ():
        given.append(Given(item, answer(item, asked + len(given) + 1)))
        right = sum(each.right for each in given)
        if right == needed or right + len(chosen) - len(given) < needed:
            break
    known = sum(each.right for each in given) >= needed
    return Tried(tier, tuple(given), needed, known)
