"""What a placement test asks: choices that a module brings along, and numbers from the bank.

A module may have a file `placement.yaml`. Each of its items is a question of the module's bank cut
down to one choice: `right` is the key point of the model answer, `wrong` are weak answers to it.
Where a track's own question has numbers to compute, it is an item of its level, or of the tier of
the track's module that it is linked to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import Field, model_validator

from hotloop import curriculum
from hotloop.bank import catalog
from hotloop.bank.catalog import Entry
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
    """One question of the test. question: its key in the bank, where more is to be read.

    choice: None where the question's numbers are asked for.
    """

    question: str
    choice: Choice | None = None


def items(track: str, way: Sequence[Module]) -> dict[Tier, list[Item]]:
    """The items of each tier that has a module on the way; the page puts them in order."""
    found: dict[Tier, list[Item]] = {}
    for tier in curriculum.curriculum().tiers:
        modules = [module for module in way if module.tier == tier]
        if not modules:
            continue
        found[tier] = [
            *(Item(f"{m.id}.{each.question}", each) for m in modules for each in choices(m.id)),
            *(
                Item(entry.key)
                for entry in catalog.catalog()
                if entry.question.numeric is not None and _tier(entry, track, way) == tier
            ),
        ]
    return found


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


def _tier(entry: Entry, track: str, way: Sequence[Module]) -> Tier | None:
    """The tier that the question tells of: that of the first module on the way which practises it.

    One that is linked to no module on the way belongs to its level, if it is the track's.
    """
    linked = {link.partition(".")[0] for link in entry.question.links}
    for module in way:
        if module.id in linked:
            return module.tier
    return entry.question.level if entry.track == track else None
