"""Placement of simulated learners by the page's scripts, with slips and guesses."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from hotloop.learn.learning.graph import way
from hotloop.learn.practice import data
from hotloop.tasks import curriculum

JavaScript = Callable[[str, object], Any]

TRACK = "framework_internals"
TIERS = ("beginner", "intermediate", "advanced")
SLIPS = 0.05
PLACED = """
const { placement } = hotloop;
return given.learners.map(({ known, dice, slips }) => {
  const tiers = placement.arranged(given.tiers);
  const knows = new Set(known.flatMap((tier) => given.tiers[tier].map(({ question }) => question)));
  const answers = [];
  for (;;) {
    const found = placement.course(tiers, answers);
    const { next, number, tried } = found;
    if (next) {
      const chance = dice[answers.length];
      const guess = slips > 0 && placement.isChoice(next) && chance < 1 / (next.wrong.length + 1);
      answers.push(knows.has(next.question) ? chance >= slips : guess);
      if (number !== answers.length) throw new Error("questions are counted through");
      continue;
    }
    return {
      known: found.known, start: placement.start(given.way, found.known), asked: answers.length,
      tried: tried.map(({ tier, given, needed }) => [tier, given.length, needed]),
      most: placement.mostQuestions(tiers),
    };
  }
});
"""


@pytest.fixture
def placed(javascript: JavaScript) -> Callable[..., Any]:
    """Returns where learners who know given tiers begin."""

    def found(learners: list[dict[str, Any]], track: str = TRACK) -> Any:
        tiers = data.tests(curriculum.modules())[track]
        steps = [{"id": each.id, "tier": each.tier} for each in way(track)]
        return javascript(PLACED, {"tiers": tiers, "way": steps, "learners": learners})

    return found


def knowing(count: int, slips: float = 0, dice: random.Random | None = None) -> dict[str, Any]:
    draw = dice or random.Random(1)
    return {"known": TIERS[:count], "slips": slips, "dice": [draw.random() for _ in range(12)]}


def test_one_begins_with_the_first_tier_that_one_does_not_know(placed: Any) -> None:
    for count, found in enumerate(placed([knowing(count) for count in range(4)])):
        start = next((each.id for each in way(TRACK) if each.tier not in TIERS[:count]), None)
        assert (found["known"], found["start"]) == (list(TIERS[:count]), start)
        assert 4 <= found["asked"] <= found["most"] == 8


@pytest.mark.parametrize("track", list(dict.fromkeys(m.track for m in curriculum.modules())))
def test_every_track_places_who_knows_nothing_at_its_beginning(placed: Any, track: str) -> None:
    (found,) = placed([knowing(0)], track)
    assert found["start"] == way(track)[0].id


def test_learners_who_slip_and_guess_are_placed_well(placed: Any) -> None:
    """At most one in ten is placed elsewhere, and almost none is two tiers off."""
    dice = random.Random(5)
    found = placed([knowing(n % 4, SLIPS, dice) for n in range(600)])
    off = [abs(len(each["known"]) - n % 4) for n, each in enumerate(found)]
    assert sum(each == 0 for each in off) >= 0.9 * len(off)
    assert sum(each > 1 for each in off) <= 0.01 * len(off)


def test_a_tier_is_decided_as_soon_as_it_is_certain(placed: Any) -> None:
    nothing, everything = placed([knowing(0), knowing(3)])
    assert nothing["tried"] == [["intermediate", 2, 3], ["beginner", 2, 3]]
    assert everything["tried"] == [["intermediate", 3, 3], ["advanced", 3, 3]]


@pytest.mark.parametrize(("count", "needed"), [(0, 2), (1, 2), (2, 2), (3, 2), (4, 3), (9, 3)])
def test_with_few_items_the_rule_is_stricter(
    javascript: JavaScript, count: int, needed: int
) -> None:
    items = [{"question": f"m.q{n}"} for n in range(count)]
    body = "return hotloop.placement.course([['beginner', given]], given.map(() => true))"
    found = javascript(body, items)
    assert found["tried"][0]["needed"] == needed
    assert found["known"] == (["beginner"] if count >= 2 else [])


def test_choices_and_numbers_take_turns_in_another_order_each_time(javascript: JavaScript) -> None:
    tiers = data.tests(curriculum.modules())[TRACK]
    body = (
        "const { arranged, isChoice, options } = hotloop.placement;"
        "const once = () => arranged(given).flatMap(([, items]) => items);"
        "return { turns: arranged(given).map(([, items]) => items.slice(0, 4).map(isChoice)),"
        "  orders: [1, 2, 3].map(() => once().map(({ question }) => question).join()),"
        "  places: once().filter(isChoice).map((item) => options(item).indexOf(item.right)) }"
    )
    found = javascript(body, tiers)
    assert found["turns"] == [[True, False, True, False]] * 3
    assert len(set(found["orders"])) > 1
    assert set(found["places"]) >= {0, 1, 2}
