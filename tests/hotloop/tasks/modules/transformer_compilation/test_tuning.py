"""Regret over machines: one or two hard machines are chance, three are the model's fault."""

import pytest

from hotloop.judge.check import FunctionCheck
from hotloop.judge.constants import constants
from hotloop.tasks.modules.transformer_compilation import machines
from hotloop.tasks.modules.transformer_compilation.tasks import learned_costs
from hotloop.tasks.modules.transformer_compilation.tuning import LEFT_OUT, MACHINES, typical


@pytest.fixture
def most() -> float:
    check = learned_costs.checks["regret"]
    assert isinstance(check, FunctionCheck)
    return check.arguments["most"]


def test_machines_that_no_budget_learns_do_not_rule(most: float) -> None:
    """Of 400 machines the reference took 6.9 times the best on one, 6.3 on another, 1.1 on most."""
    found = [1.15] * (MACHINES - LEFT_OUT) + [6.9, 6.3]
    assert typical(found) == pytest.approx(1.15)
    assert typical(found[::-1]) <= most


def test_one_more_of_them_does(most: float) -> None:
    assert typical([1.15] * (MACHINES - LEFT_OUT - 1) + [6.9, 6.9, 6.9]) > most


def test_a_poor_model_is_refused_without_its_worst_machines_too(most: float) -> None:
    """The best wrong answer: a fifth of its machines below 1.5, half of them below 1.8."""
    assert typical([1.3, 1.4, 1.5, 1.6, 1.7, 1.7, 1.8, 1.8, 2.0, 2.2, 2.4, 2.8]) > most


def test_a_variants_schedule_has_its_revision() -> None:
    plain = {name: values[0] for name, values in machines.SPACE.items()}
    marked = {**plain, "revision": 7}
    assert machines.as_row(plain) is not None
    assert machines.as_row(marked) is None
    with constants({"REVISION": 7}):
        assert machines.as_row(marked) is not None
        assert machines.as_row({**plain, "revision": 7.0}) is None
    with constants({"REVISION": 8}):
        assert all(machines.as_row(each) is None for each in (plain, marked))
