"""Products of sizes as plain variables, with the few lemmas about them that proofs of indices need.

z3 decides linear facts at once, and products hardly ever. A product that is replaced by a variable
loses what it means, so that less is proved; the lemmas give back that a product grows with each of
its factors, which is what says that row · stride + column lies before the end of the last row.
"""

from collections.abc import Sequence
from itertools import combinations, permutations

from hotloop.engines.prover.z3_types import Formula, z3

MOST_LEMMAS = 1500


Keys = frozenset[tuple[int, ...]]


class Products:
    """Formulas without products. They are kept, as questions share most of their facts."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Start anew, with another file."""
        self._named: dict[tuple[int, ...], tuple[Formula, tuple[Formula, Formula]]] = {}
        self._scaled: dict[int, set[int]] = {}
        self._known: dict[int, tuple[Formula, Formula, Keys]] = {}
        self._lemmas: dict[tuple[Keys, bool], list[Formula]] = {}

    def without(self, formula: Formula) -> tuple[Formula, Keys]:
        """Return the formula with a variable in place of each product, and their keys."""
        number = formula.get_id()
        if number not in self._known:
            # The formula is kept, as z3 may give its number to another one otherwise.
            self._known[number] = (formula, *self._replace(formula))
        return self._known[number][1:]

    def _replace(self, formula: Formula) -> tuple[Formula, Keys]:
        parts = [self.without(each) for each in formula.children()]
        children = [each for each, _ in parts]
        keys = Keys().union(*(more for _, more in parts))
        if not children or z3.is_quantifier(formula):
            return formula, keys
        if not z3.is_mul(formula):
            return formula.decl()(*children), keys
        factor, others = _factors(children)
        if len(others) < 2:
            return z3.IntVal(factor) * others[0] if others else z3.IntVal(factor), keys
        name, own = self._product(others)
        if factor != 1:
            self._scaled.setdefault(name.get_id(), set()).add(factor)
        return z3.IntVal(factor) * name, keys | own

    def _product(self, factors: Sequence[Formula]) -> tuple[Formula, Keys]:
        """Return the variable that stands for a product."""
        ordered = sorted(factors, key=lambda each: each.get_id())
        keys = Keys()
        if len(ordered) > 2:
            inner, keys = self._product(ordered[:-1])
            ordered = [inner, ordered[-1]]
        key = tuple(sorted(each.get_id() for each in ordered))
        if key not in self._named:
            self._named[key] = (z3.FreshInt("product"), (ordered[0], ordered[1]))
        return self._named[key][0], keys | {key}

    def lemmas(self, keys: Keys, *, of_two_programs: bool) -> list[Formula]:
        """Return what holds of the variables."""
        kind = (keys, of_two_programs)
        if kind not in self._lemmas:
            self._lemmas[kind] = self._growth(keys) + (self._equal(keys) if of_two_programs else [])
        return self._lemmas[kind]

    def _growth(self, keys: Keys) -> list[Formula]:
        """Return that products grow with their factors."""
        by_factor: dict[int, tuple[Formula, list[tuple[Formula, Formula]]]] = {}
        for name, (one, other) in (self._named[key] for key in sorted(keys)):
            for x, common in ((one, other), (other, one)):
                products = by_factor.setdefault(common.get_id(), (common, []))[1]
                for factor in sorted({1, *self._scaled.get(name.get_id(), ())}):
                    products.append((factor * x, factor * name))
        lemmas: list[Formula] = []
        for common, products in by_factor.values():
            zero = (z3.IntVal(0), z3.IntVal(0))
            least = (z3.IntVal(1), common)
            for (x, a), (y, b) in permutations([*products, zero, least], 2):
                if z3.is_int_value(x) and z3.is_int_value(y):
                    continue
                lemmas.append(z3.Implies(z3.And(common >= 0, x <= y), a <= b))
                lemmas.append(z3.Implies(z3.And(common >= 0, x < y), a <= b - common))
        return lemmas[:MOST_LEMMAS]

    def _equal(self, keys: Keys) -> list[Formula]:
        """Return that products of equal factors are equal: two programs have their own factors."""
        lemmas: list[Formula] = []
        for one, other in combinations(sorted(keys), 2):
            (p, (a, b)), (q, (c, d)) = self._named[one], self._named[other]
            lemmas.append(z3.Implies(z3.And(a == c, b == d), p == q))
            lemmas.append(z3.Implies(z3.And(a == d, b == c), p == q))
        return lemmas[:MOST_LEMMAS]


PRODUCTS = Products()


def linear(facts: Sequence[Formula], *, of_two_programs: bool = False) -> list[Formula]:
    """Return weaker facts without products: what contradicts them contradicts the facts."""
    parts = [PRODUCTS.without(fact) for fact in facts]
    keys = Keys().union(*(more for _, more in parts))
    lemmas = PRODUCTS.lemmas(keys, of_two_programs=of_two_programs)
    return [*(weaker for weaker, _ in parts), *lemmas]


def _factors(formulas: Sequence[Formula]) -> tuple[int, list[Formula]]:
    """Return the number in a product, and its other factors."""
    number, others = 1, list[Formula]()
    for each in formulas:
        if z3.is_int_value(each):
            number *= each.as_long()
        elif z3.is_mul(each):
            inner, more = _factors(each.children())
            number *= inner
            others += more
        else:
            others.append(each)
    return number, others
