"""The items of a placement test: multiple-choice items of modules, and numbers from the bank.

A module can have a file `placement.yaml`. Each of its items is a question of the module's bank
reduced to one choice: `right` is the key point of the model answer, `wrong` are weak answers to it.
A track's own question with numbers to compute is an item of its own level, or of the tier of the
track's module that it links to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import Field, model_validator

from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.yaml_lines import CurriculumError, load, place
from hotloop.learn.bank import catalog
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Module, Tier
from hotloop.tasks.problem import refuse_repeats

NAME = "placement.yaml"


class ChoiceItem(Strict):
    """One multiple-choice item. question: its id in the module's bank; because: the explanation."""

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
    """The content of placement.yaml."""

    items: list[ChoiceItem]

    @model_validator(mode="after")
    def _questions_differ(self) -> Self:
        refuse_repeats("question", [item.question for item in self.items])
        return self


@dataclass(frozen=True)
class TestItem:
    """One question of the test. question: its key in the bank, where there is more to read.

    choice: None if the question's numbers are asked for.
    """

    question: str
    choice: ChoiceItem | None = None


def items(track: str, way: Sequence[Module]) -> dict[Tier, list[TestItem]]:
    """Return the items of each tier that has a module on the way; the page orders them."""
    by_tier: dict[Tier, list[TestItem]] = {}
    for tier in curriculum.curriculum().tiers:
        modules = [module for module in way if module.tier == tier]
        if not modules:
            continue
        by_tier[tier] = [
            *(TestItem(f"{m.id}.{each.question}", each) for m in modules for each in choices(m.id)),
            *(
                TestItem(entry.key)
                for entry in catalog.catalog()
                if entry.question.numeric is not None and _tier(entry, track, way) == tier
            ),
        ]
    return by_tier


def choices(module: str) -> list[ChoiceItem]:
    """Return the module's items.

    Raises CurriculumError if one is about a question that the module does not have.
    """
    path = curriculum.folder(module) / NAME
    if not path.is_file():
        return []
    items = load(path, Choices).items
    known = {entry.question.id for entry in catalog.catalog() if entry.module == module}
    for index, item in enumerate(items):
        if item.question not in known:
            where = place(path, ("items", index, "question"))
            raise CurriculumError(f"{where}: {module} has no question {item.question!r}")
    return items


def _tier(entry: CatalogEntry, track: str, way: Sequence[Module]) -> Tier | None:
    """Return the tier that the question tests: that of the first linked module on the way.

    A question without such a module belongs to its level if it is the track's, else to no tier.
    """
    linked = {link.partition(".")[0] for link in entry.question.links}
    for module in way:
        if module.id in linked:
            return module.tier
    return entry.question.level if entry.track == track else None
