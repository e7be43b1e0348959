"""Integers of z3 as polynomials, and their division: an offset as places along a tensor's axes."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from hotloop.engines.prover.z3_types import Formula, z3

Monomial = tuple[int, ...]
MOST_TERMS = 200


class Polynomials:
    """Polynomials over what z3 neither adds nor multiplies; those are named by numbers."""

    def __init__(self) -> None:
        self._atoms: dict[int, Formula] = {}

    def of(self, formula: Formula) -> dict[Monomial, int] | None:
        """Return a formula's polynomial, coefficients by factors; None if it has too many terms."""
        if z3.is_int_value(formula):
            value = formula.as_long()
            return {(): value} if value else {}
        parts = [self.of(each) for each in formula.children()] if _is_sum(formula) else []
        if _is_sum(formula):
            if any(part is None for part in parts):
                return None
            return self._combine(formula.decl().kind(), [part or {} for part in parts])
        self._atoms[formula.get_id()] = formula
        return {(formula.get_id(),): 1}

    def formula(self, terms: Mapping[Monomial, int]) -> Formula:
        """Return the polynomial as a formula."""
        total: Any = z3.IntVal(0)
        for monomial, factor in terms.items():
            product: Any = z3.IntVal(factor)
            for atom in monomial:
                product = product * self._atoms[atom]
            total = total + product
        return z3.simplify(total)

    def divide(
        self, terms: Mapping[Monomial, int], by: Mapping[Monomial, int]
    ) -> tuple[dict[Monomial, int], dict[Monomial, int]] | None:
        """Return quotient and rest; no term of the rest is a multiple of the divisor's first."""
        if not by:
            return None
        first = max(by, key=lambda monomial: (len(monomial), monomial))
        rest, quotient, left = dict(terms), dict[Monomial, int](), dict[Monomial, int]()
        steps = 0
        while rest:
            steps += 1
            if len(rest) + len(quotient) > MOST_TERMS or steps > MOST_TERMS:
                return None
            monomial = max(rest, key=lambda monomial: (len(monomial), monomial))
            missing = Counter(first)
            missing.subtract(monomial)
            factor, remainder = divmod(rest[monomial], by[first])
            if any(count > 0 for count in missing.values()) or remainder:
                left[monomial] = left.get(monomial, 0) + rest.pop(monomial)
                continue
            others = Counter(monomial)
            others.subtract(first)
            share = tuple(sorted(others.elements()))
            quotient[share] = quotient.get(share, 0) + factor
            for each, times in by.items():
                key = tuple(sorted(share + each))
                rest[key] = rest.get(key, 0) - factor * times
                if not rest[key]:
                    del rest[key]
        return quotient, {monomial: factor for monomial, factor in left.items() if factor}

    @staticmethod
    def _combine(kind: int, parts: list[dict[Monomial, int]]) -> dict[Monomial, int] | None:
        total = parts[0]
        if kind == z3.Z3_OP_UMINUS:
            return {monomial: -factor for monomial, factor in total.items()}
        for part in parts[1:]:
            if kind == z3.Z3_OP_MUL:
                total = _product(total, part)
            else:
                sign = -1 if kind == z3.Z3_OP_SUB else 1
                added = dict(total)
                for monomial, factor in part.items():
                    added[monomial] = added.get(monomial, 0) + sign * factor
                total = {monomial: factor for monomial, factor in added.items() if factor}
            if len(total) > MOST_TERMS:
                return None
        return total


def _is_sum(formula: Formula) -> bool:
    return z3.is_app(formula) and formula.decl().kind() in {
        z3.Z3_OP_ADD,
        z3.Z3_OP_SUB,
        z3.Z3_OP_MUL,
        z3.Z3_OP_UMINUS,
    }


def _product(one: dict[Monomial, int], other: dict[Monomial, int]) -> dict[Monomial, int]:
    total: dict[Monomial, int] = {}
    for a, x in one.items():
        for b, y in other.items():
            key = tuple(sorted(a + b))
            total[key] = total.get(key, 0) + x * y
    return {monomial: factor for monomial, factor in total.items() if factor}
