"""A policy's memory is compared over a restart whatever the order of its entries."""

import json

import pytest

from hotloop.tasks.modules.portable_trainer.policies import _in_order

MEMORY = {"barred": ["compile", "eager"], "until": {"a": 3, "b": 4}, "bad": None, "losses": []}


def test_what_came_from_a_set_is_the_same_in_each_order() -> None:
    other = {"losses": [], "until": {"b": 4, "a": 3}, "bad": None, "barred": ["eager", "compile"]}
    assert json.dumps(MEMORY) != json.dumps(other)
    assert _in_order(MEMORY) == _in_order(other)


@pytest.mark.parametrize(
    "change",
    [{"barred": ["compile"]}, {"until": {"a": 3, "b": 5}}, {"bad": {}}, {"losses": [7]}],
)
def test_another_memory_is_another_one(change: dict[str, object]) -> None:
    assert _in_order(MEMORY) != _in_order({**MEMORY, **change})
