"""What a placement test asks: choices that a module brings along, and numbers from the bank.

A module may have a file `placement.yaml`. Each of its items is a question of the module's bank cut
down to one choice: `right` is the key point of the model answer, `wrong` are weak answers to it.
Where a track's own question has numbers to compute, it is an item of its level, or of the tier of
the track's module that it is linked to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from hotloop import curriculum
from hotloop.bank import catalog, numeric
from hotloop.bank.catalog import Entry
from hotloop.bank.numeric import Instance
from hotloop.curriculum import Module, Tier
from hotloop.problem import Identifier, Strict, Text, refuse_repeats
from hotloop.yaml_lines import CurriculumError, load, place

NAME = "placement.yaml"


class Choice(Strict):
    """One item. question: of the module's bank; because: what is told of it afterwards."""

    question: Identifier
    ask: Text
    right: Text
    wrong: Annotated[list[Text], Field(min_length=2, max_length=4)]
    because: Text

    @model_validator(mode="after")
    def _options_differ(self) -> Self:
        refuse_repeats("option", [self.right, *self.wrong])
        return self


class Choices(Strict):
    """placement.yaml."""

    items: list[Choice]

    @model_validator(mode="after")
    def _questions_differ(self) -> Self:
        refuse_repeats("question", [item.question for item in self.items])
        return self


@dataclass(frozen=True)
class Item:
    """One question of the test. It has either options, of which one is right, or an instance.

    question: its key in the bank, where more is to be read. right: the option's place.
    """

    question: str
    tier: Tier
    ask: str
    because: str
    options: tuple[str, ...] = ()
    right: int = 0
    instance: Instance | None = None

    @property
    def solution(self) -> str:
        """What was to be answered."""
        return self.instance.shown if self.instance else self.options[self.right]

    def is_right(self, said: str) -> bool:
        """Whether `b`, or a number, is the answer."""
        if self.instance is not None:
            return numeric.check(self.instance, said).right
        return said.strip().lower() == letter(self.right)


def letter(place: int) -> str:
    """How an option is called."""
    return "abcde"[place]


def items(track: str, way: Sequence[Module], seed: str) -> dict[Tier, list[Item]]:
    """The items of each tier that has a module on the way, shuffled by the seed.

    Choices and numbers take turns, so that neither guessing nor reckoning alone decides.
    """
    found: dict[Tier, list[Item]] = {}
    for tier in curriculum.curriculum().tiers:
        modules = [module for module in way if module.tier == tier]
        if not modules:
            continue
        choices = [item for module in modules for item in _choices(module, seed)]
        numbers = [
            _with_numbers(entry, tier, seed)
            for entry in catalog.catalog()
            if entry.question.numeric is not None and _tier(entry, track, way) == tier
        ]
        found[tier] = list(_in_turn(_shuffled(choices, seed), _shuffled(numbers, seed)))
    return found


def document(track: str, way: Sequence[Module]) -> dict[str, Any]:
    """For a page that places by itself: all items by tier, the right option first."""
    return {
        tier: [
            {
                "question": item.question,
                "ask": item.ask,
                "because": item.because,
                "right": None if item.instance else item.options[item.right],
                "wrong": [o for at, o in enumerate(item.options) if at != item.right],
                "numeric": numeric.document(item.instance) if item.instance else None,
            }
            for item in sorted(found, key=lambda item: item.question)
        ]
        for tier, found in items(track, way, track).items()
    }


def choices(module: str) -> list[Choice]:
    """The module's items. CurriculumError when one is about a question that it does not have."""
    path = curriculum.folder(module) / NAME
    if not path.is_file():
        return []
    found = load(path, Choices).items
    known = {entry.question.id for entry in catalog.catalog() if entry.module == module}
    for index, item in enumerate(found):
        if item.question not in known:
            where = place(path, ("items", index, "question"))
            raise CurriculumError(f"{where}: {module} has no question {item.question!r}")
    return found


def _choices(module: Module, seed: str) -> Iterator[Item]:
    for choice in choices(module.id):
        key = f"{module.id}.{choice.question}"
        options = tuple(_by_hash((choice.right, *choice.wrong), f"{seed}.{key}"))
        yield Item(
            key, module.tier, choice.ask, choice.because, options, options.index(choice.right)
        )


def _with_numbers(entry: Entry, tier: Tier, seed: str) -> Item:
    assert entry.question.numeric is not None
    instance = numeric.draw(entry.question.numeric, f"{seed}.{entry.key}")
    return Item(entry.key, tier, instance.ask, instance.explain, instance=instance)


def _tier(entry: Entry, track: str, way: Sequence[Module]) -> Tier | None:
    """The tier that the question tells of: that of the first module on the way which practises it.

    One that is linked to no module on the way belongs to its level, if it is the track's.
    """
    linked = {link.partition(".")[0] for link in entry.question.links}
    for module in way:
        if module.id in linked:
            return module.tier
    return entry.question.level if entry.track == track else None


def _in_turn(first: Sequence[Item], second: Sequence[Item]) -> Iterator[Item]:
    for place_ in range(max(len(first), len(second))):
        yield from first[place_ : place_ + 1]
        yield from second[place_ : place_ + 1]


def _shuffled(found: Iterable[Item], seed: str) -> list[Item]:
    by_key = {item.question: item for item in found}
    return [by_key[key] for key in _by_hash(by_key, seed)]


def _by_hash(texts: Iterable[str], seed: str) -> list[str]:
    """Not from `random`, whose draws may change with Python's version."""
    return sorted(texts, key=lambda text: hashlib.sha256(f"{seed}.{text}".encode()).digest())
