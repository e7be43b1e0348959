"""Polynomials and the lemmas about products say nothing that is false for some integers."""

import itertools
import random

import pytest

pytest.importorskip("z3", reason="the package group `proof`")

from hotloop.engines.prover.polynomial import Polynomials
from hotloop.engines.prover.products import linear
from hotloop.engines.prover.solver import Clock, Names, implies, model_of
from hotloop.engines.prover.z3_types import Formula, z3

NAMES = [z3.Int(name) for name in "abcd"]


def _random(rng: random.Random, terms: int) -> Formula:
    total = z3.IntVal(rng.randint(-3, 3))
    for _ in range(terms):
        product = z3.IntVal(rng.choice([1, 1, 2, 3, -1]))
        for name in rng.choices(NAMES, k=rng.randint(1, 3)):
            product = product * name
        total = total + product
    return total


def _is_zero(formula: Formula) -> bool:
    simple = z3.simplify(formula, som=True)
    return bool(z3.is_int_value(simple)) and simple.as_long() == 0


@pytest.mark.parametrize("seed", range(40))
def test_quotient_times_divisor_and_rest_are_the_number(seed: int) -> None:
    rng = random.Random(seed)
    polynomials = Polynomials()
    number, divisor = _random(rng, 5), _random(rng, rng.randint(1, 2))
    terms, by = polynomials.of(number), polynomials.of(divisor)
    assert terms is not None
    assert by is not None
    assert _is_zero(number - polynomials.formula(terms))
    parts = polynomials.divide(terms, by)
    if parts is None:
        return
    quotient, rest = map(polynomials.formula, parts)
    assert _is_zero(number - quotient * divisor - rest)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_what_is_asked_without_products_holds_with_them(seed: int) -> None:
    """The weaker facts hold for all integers that the facts hold for."""
    rng = random.Random(seed)
    formulas = [_random(rng, 3) for _ in range(3)]
    for numbers in itertools.islice(itertools.product(range(-2, 3), repeat=4), 0, 625, 97):
        values = [(name, z3.IntVal(n)) for name, n in zip(NAMES, numbers, strict=True)]
        facts = [one == z3.substitute(one, *values) for one in formulas]
        facts += [name == value for name, value in values]
        assert model_of(linear(facts, of_two_programs=True), Clock(5), 1.0)


def test_an_exact_quotient_has_no_rest() -> None:
    a, b = NAMES[:2]
    quotient, rest = Names().divide(a * b * 3, b)
    assert _is_zero(quotient - 3 * a)
    assert _is_zero(rest)


def test_rows_and_columns() -> None:
    row, column, rows, columns = NAMES
    inside = [row >= 0, row < rows, column >= 0, column < columns, rows >= 1, columns >= 1]
    last = row * columns + column <= rows * columns - 1
    assert implies(inside, last, Clock(5))
    assert not implies(inside, row * columns + column <= rows * columns - 2, Clock(5))
