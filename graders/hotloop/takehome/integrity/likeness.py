"""How alike two pieces of code are once the starter is taken off, by tokens and by syntax tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from hotloop.takehome.integrity import tokens, trees
from hotloop.takehome.integrity.parts import Language, Part

KeyT = TypeVar("KeyT")

FEWEST_RUNS = 40
"""Runs of tokens that both must have of their own. What is shorter is alike by chance."""


@dataclass(frozen=True)
class Print:
    """What is known of a piece of code. trees: None where it is no Python that parses."""

    runs: tokens.Runs = field(repr=False)
    trees: trees.Subtrees | None = field(repr=False)

    @property
    def long_enough(self) -> bool:
        """Whether it can be compared at all."""
        return self.runs.total() >= FEWEST_RUNS


@dataclass(frozen=True)
class Likeness:
    """Shares, 0 to 1, of the smaller one that the larger one has too. trees: None: not known."""

    tokens: float
    trees: float | None

    @property
    def score(self) -> float:
        """Both must agree: the smaller of the two."""
        return self.tokens if self.trees is None else min(self.tokens, self.trees)


def print_of(text: str, language: Language, starters: Iterable[str] = ()) -> Print:
    """The print of a text, without what any of the starters has."""
    return _print_of(text, language, tuple(starters))


@lru_cache(maxsize=1024)
def _print_of(text: str, language: Language, starters: tuple[str, ...]) -> Print:
    """Kept, because every new submission is compared with all earlier ones."""
    runs = tokens.runs(text, language)
    found = trees.subtrees(text) if language == "python" else None
    for starter in starters:
        runs = _without(runs, tokens.runs(starter, language))
        given = trees.subtrees(starter) if language == "python" else None
        if found is not None and given is not None:
            found = _without(found, given)
    return Print(runs, found)


def print_of_part(part: Part, starters: Iterable[Part] = ()) -> Print:
    """Likewise for a part of a submission, with the parts of the same name as its starters."""
    given = [starter.text for starter in starters if starter.name == part.name]
    return print_of(part.text, part.language, given)


def likeness(first: Print, second: Print) -> Likeness | None:
    """None where one of them is too short to say."""
    if not (first.long_enough and second.long_enough):
        return None
    structure = None
    if first.trees and second.trees:
        structure = _shared(first.trees, second.trees)
    return Likeness(_shared(first.runs, second.runs), structure)


def _shared(first: Counter[KeyT], second: Counter[KeyT]) -> float:
    return (first & second).total() / min(first.total(), second.total())


def _without(own: Counter[KeyT], given: Counter[KeyT]) -> Counter[KeyT]:
    """Whatever the starter has goes, however often it is repeated."""
    return Counter({key: count for key, count in own.items() if key not in given})
