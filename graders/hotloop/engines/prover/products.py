"""Products of sizes as plain variables, with the few lemmas about them that proofs of indices need.

z3 decides linear facts at once, and products hardly ever. A product that is replaced by a variable
loses what it means, so that less is proved; the lemmas give back that a product grows with each of
its factors, which is what says that row · stride + column lies before the end of the last row.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

from hotloop.engines.prover.z3_types import Formula, z3

MOST_LEMMAS = 120


class Products:
    """Formulas without products."""

    def __init__(self) -> None:
        self._named: dict[tuple[int, ...], tuple[Formula, tuple[Formula, ...]]] = {}
        self._known: dict[int, tuple[Formula, Formula]] = {}

    def without(self, formula: Formula) -> Formula:
        """Return the formula with a variable in place of each product."""
        key = formula.get_id()
        if key not in self._known:
            # The formula is kept, as z3 may give its number to another one otherwise.
            self._known[key] = (formula, self._replaced(formula))
        return self._known[key][1]

    def _replaced(self, formula: Formula) -> Formula:
        children = [self.without(each) for each in formula.children()]
        if not children or z3.is_quantifier(formula):
            return formula
        if not z3.is_mul(formula):
            return formula.decl()(*children)
        factor: Any = z3.IntVal(1)
        others: list[Formula] = []
        for each in children:
            if z3.is_int_value(each):
                factor = factor * each
            else:
                others.append(each)
        if len(others) < 2:
            return factor * others[0] if others else factor
        return factor * self._product(tuple(others))

    def _product(self, factors: tuple[Formula, ...]) -> Formula:
        """Return the variable that stands for a product."""
        ordered = sorted(factors, key=lambda each: each.get_id())
        if len(ordered) > 2:
            ordered = [self._product(tuple(ordered[:-1])), ordered[-1]]
        key = tuple(sorted(each.get_id() for each in ordered))
        if key not in self._named:
            name = z3.FreshInt("product")
            self._named[key] = (name, tuple(ordered))
        return self._named[key][0]

    def lemmas(self) -> list[Formula]:
        """Return what holds of the variables: products grow with their factors."""
        by_factor: dict[int, tuple[Formula, list[tuple[Formula, Formula]]]] = {}
        for name, (one, other) in self._named.values():
            for x, common in ((one, other), (other, one)):
                by_factor.setdefault(common.get_id(), (common, []))[1].append((x, name))
        found: list[Formula] = []
        for common, products in by_factor.values():
            zero = (z3.IntVal(0), z3.IntVal(0))
            least = (z3.IntVal(1), common)
            for (x, a), (y, b) in permutations([*products, zero, least], 2):
                if z3.is_int_value(x) and z3.is_int_value(y):
                    continue
                found.append(z3.Implies(z3.And(common >= 0, x <= y), a <= b))
                found.append(z3.Implies(z3.And(common >= 0, x < y), a <= b - common))
        return found[:MOST_LEMMAS]


def linear(facts: Sequence[Formula]) -> list[Formula]:
    """Return weaker facts without products: what contradicts them contradicts the facts."""
    products = Products()
    weaker = [products.without(fact) for fact in facts]
    return [*weaker, *products.lemmas()]
