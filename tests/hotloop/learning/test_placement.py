"""Placement of simulated learners: by what they know, and with slips and guesses."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from hotloop import curriculum
from hotloop.curriculum import Module, Tier
from hotloop.learning.graph import way
from hotloop.learning.items import Item, items
from hotloop.learning.placement import Placed, most_questions, place

TRACK = "framework_internals"
TIERS: tuple[Tier, ...] = ("beginner", "intermediate", "advanced")
SLIPS = 0.05


def _knowing(*tiers: str) -> Callable[[Item, int], bool]:
    return lambda item, _number: item.tier in tiers


def _placed(answer: Callable[[Item, int], bool], seed: str = "1", track: str = TRACK) -> Placed:
    modules = way(track)
    return place(modules, items(track, modules, seed), answer)


def _first(tier: str, track: str = TRACK) -> str:
    return next(module.id for module in way(track) if module.tier == tier)


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_one_begins_with_the_first_tier_that_one_does_not_know(seed: str) -> None:
    for known in range(3):
        placed = _placed(_knowing(*TIERS[:known]), seed)
        assert placed.start is not None
        assert placed.start.id == _first(TIERS[known])
        assert placed.known == TIERS[:known]
        assert all(module.tier in TIERS[:known] for module in placed.skipped)
        assert 4 <= len(placed.given) <= 8


def test_who_knows_it_all_has_nothing_left_to_start() -> None:
    placed = _placed(_knowing(*TIERS))
    assert placed.start is None
    assert [module.id for module in placed.skipped] == [module.id for module in way(TRACK)]


@pytest.mark.parametrize("track", [each.id for each in curriculum.curriculum().tracks])
def test_every_track_places_who_knows_nothing_at_its_beginning(track: str) -> None:
    modules = way(track)
    placed = _placed(_knowing(), track=track)
    assert placed.start == (modules[0] if modules else None)
    assert placed.skipped == ()


def test_what_one_module_teaches_is_asked_of_that_module() -> None:
    """A learner of the beginner's concepts alone answers the items of beginner modules."""
    taught = {m.id: set(m.concepts) for m in curriculum.modules()}
    known = {concept for m in way(TRACK) if m.tier == "beginner" for concept in m.concepts}

    def answer(item: Item, _number: int) -> bool:
        concepts = taught.get(item.question.partition(".")[0])
        return item.tier == "beginner" if concepts is None else concepts <= known

    placed = _placed(answer)
    assert placed.start is not None
    assert placed.start.id == _first("intermediate")


def test_learners_who_slip_and_guess_are_placed_well() -> None:
    """At most one in ten lands elsewhere, and next to nobody is two tiers off."""
    dice = random.Random(5)
    modules = way(TRACK)
    asked = {str(seed): items(TRACK, modules, str(seed)) for seed in range(10)}
    off: list[int] = []
    for trial in range(600):
        known = trial % 4
        can = TIERS[:known]

        def answer(item: Item, _number: int, can: Sequence[str] = can) -> bool:
            if item.tier in can:
                return dice.random() > SLIPS
            return bool(item.options) and dice.random() < 1 / len(item.options)

        placed = place(modules, asked[str(trial % 10)], answer)
        off.append(abs(len(placed.known) - known))
    assert sum(each == 0 for each in off) >= 0.9 * len(off)
    assert sum(each > 1 for each in off) <= 0.01 * len(off)


def test_a_tier_is_decided_as_soon_as_it_is_certain() -> None:
    placed = _placed(_knowing())
    assert [(tried.tier, len(tried.given)) for tried in placed.tried] == [
        ("intermediate", 2),
        ("beginner", 2),
    ]
    placed = _placed(_knowing(*TIERS))
    assert [(tried.tier, len(tried.given)) for tried in placed.tried] == [
        ("intermediate", 3),
        ("advanced", 3),
    ]


def test_questions_are_counted_through() -> None:
    numbers: list[int] = []

    def answer(item: Item, number: int) -> bool:
        numbers.append(number)
        return number % 2 == 0

    _placed(answer)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) <= most_questions(items(TRACK, way(TRACK), "1")) == 8


@pytest.mark.parametrize(("count", "needed"), [(0, 2), (1, 2), (2, 2), (3, 2), (4, 3), (9, 3)])
def test_with_few_items_the_rule_is_stricter(
    count: int, needed: int, module: Callable[..., Module]
) -> None:
    found = [Item(f"m.q{at}", "beginner", "?", "!", ("a", "b"), 0) for at in range(count)]
    placed = place([module("m")], {"beginner": found}, lambda _item, _number: True)
    assert placed.tried[0].needed == needed
    assert (placed.start is None) == (count >= 2)
