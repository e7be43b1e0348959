from collections.abc import Callable

import pytest

from hotloop.learn.learning.graph import ordered, way
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Module

ModuleOf = Callable[..., Module]


def test_every_module_comes_after_all_that_it_asks_for(module: ModuleOf) -> None:
    modules = [module("d", "b", "c"), module("b", "a"), module("c", "a"), module("a"), module("e")]
    found = [each.id for each in ordered([modules[0]], modules)]
    assert found == ["a", "b", "c", "d"]


def test_a_planned_module_is_passed_over(module: ModuleOf) -> None:
    last = module("last", "planned")
    assert ordered([last], [last]) == [last]


def test_a_circle_comes_to_an_end(module: ModuleOf) -> None:
    modules = [module("a", "b"), module("b", "a")]
    assert {each.id for each in ordered(modules, modules)} == {"a", "b"}


@pytest.mark.parametrize("track", [each.id for each in curriculum.curriculum().tracks])
def test_the_way_of_each_track_can_be_walked(track: str) -> None:
    seen: set[str] = set()
    known = {each.id for each in curriculum.modules()}
    for each in way(track):
        assert set(each.prerequisites.modules) & known <= seen
        seen.add(each.id)
    assert {each.id for each in curriculum.modules() if each.track == track} <= seen
