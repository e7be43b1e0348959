"""Integers of a machine, and addresses as integers."""

import re
from collections.abc import Callable, Mapping, Sequence

from hotloop.engines.prover.cuda.facts import Facts
from hotloop.engines.prover.cuda.state import (
    Memory,
    State,
    constant,
    evaluate,
    pointer,
    renamed,
    scalar,
)
from hotloop.engines.prover.solver import Names, exact
from hotloop.engines.prover.values import Arithmetic, Value, in_range, unknown
from hotloop.engines.prover.z3_types import Formula, z3

INTEGER = re.compile(r"i(\d+)$")
BINARY = {
    "add": "Add", "sub": "Sub", "mul": "Mult", "sdiv": "FloorDiv", "udiv": "FloorDiv",
    "srem": "Mod", "urem": "Mod", "shl": "LShift", "ashr": "RShift", "lshr": "RShift",
    "and": "BitAnd", "or": "BitOr", "xor": "BitXor",
}  # fmt: skip  # fmt: skip
_RING = frozenset({"add", "sub", "mul", "shl"})
_COMPUTE: Mapping[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "sdiv": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
}


class Numbers(Facts):
    """Computes with integers. threads: numbers of the thread; bases: addresses of arrays.

    A sum of 64 bits that wraps around is no fault where it only becomes an address that is inside:
    `_wraps` are the needs of such numbers.
    """

    def __init__(
        self,
        names: Names,
        facts: Sequence[Formula],
        of_all: Sequence[Formula],
        threads: Sequence[Formula],
    ) -> None:
        super().__init__(names, facts, of_all)
        self.arithmetic = Arithmetic(names)
        self.threads = threads
        self.bases: dict[int, tuple[Formula, Memory]] = {}
        self._wraps: dict[int, Formula] = {}
        self._bits: dict[tuple[str, int, int], tuple[Formula, Formula, Formula]] = {}

    def _fresh(self, bits: int, *data: str, origin: list[Formula] | None = None) -> Value:
        number = self.names.integer("number")
        self.names.definitions.append(in_range(number, bits)[0])
        if origin is not None:
            self._defined[number.decl().name()] = origin
        return scalar(number, bits, {}, frozenset(data))

    def _unknown(self, kind: str, data: frozenset[str]) -> Value:
        bits = INTEGER.match(kind)
        if kind == "i1":
            return scalar(self.names.truth(), None, {}, data)
        return self._fresh(int(bits[1]), *data) if bits else unknown(*data)

    def _number(self, kind: str, value: Value) -> Value:
        """Return the value, or a number of which nothing is known."""
        if value.kind == "unknown" and INTEGER.match(kind):
            return self._unknown(kind, value.data)
        return value

    def _binary(self, name: str, kind: str, a: Value, b: Value) -> Value:  # noqa: C901 - an operator each
        bits = INTEGER.match(kind)
        if bits is None:
            return unknown(*a.data, *b.data)
        a, b = self._number(kind, a), self._number(kind, b)
        if a.kind == b.kind == "bool":
            if name in {"and", "or", "xor"}:
                return evaluate(self.arithmetic.binary(BINARY[name], a, b))
            return self._unknown(kind, a.data | b.data)
        left, right = constant(a), constant(b)
        computable = name in _COMPUTE and (right or name != "sdiv")
        if left is not None and right is not None and computable:
            return scalar(z3.IntVal(_COMPUTE[name](left, right)), a.bits)
        if name == "xor" and right == -1:
            return evaluate(self.arithmetic.binary("Sub", scalar(z3.IntVal(-1), a.bits), a))
        if name == "and" and right is not None and right >= 0 and not right & right + 1:
            self._require_all(a)
            return evaluate(self.arithmetic.binary("BitAnd", a, b))
        if name in {"and", "or", "xor"}:
            return self._of_bits(name, int(bits[1]), a, b)
        result = evaluate(self.arithmetic.binary(BINARY[name], a, b))
        if name in _RING and a.bits == 64:
            theirs = [*a.at(())[1].values(), *b.at(())[1].values()]
            known = {each.get_id() for need in theirs for each in (need, z3.simplify(need))}
            own = result.at(())[1]
            self._wraps |= {key: need for key, need in own.items() if key not in known}
        else:
            self._require_all(a, b)
        if result.kind != "int":
            return self._fresh(int(bits[1]), *a.data, *b.data, origin=[a.at(())[0], b.at(())[0]])
        if name == "lshr":
            formula, needs = result.at(())
            need = a.at(())[0] >= 0
            return scalar(formula, a.bits, {**needs, need.get_id(): need}, result.data)
        return result

    def _require_all(self, *values: Value) -> None:
        """Let an overflow of these matter also where only an address is made of them."""
        for value in values:
            for key in value.at(())[1]:
                self._wraps.pop(key, None)

    def _of_bits(self, name: str, bits: int, a: Value, b: Value) -> Value:
        """Return a number of which only its size is known."""
        self._require_all(a, b)
        (x, needs), (y, more) = a.at(()), b.at(())
        key = name, x.get_id(), y.get_id()
        if key not in self._bits:
            result = self._fresh(bits, origin=[x, y]).at(())[0]
            powers = [1 << power for power in range(1, 15)]
            near = [
                z3.Implies(
                    z3.And(x >= 0, y >= 0, x < most, y < most), z3.And(result >= 0, result < most)
                )
                for most in powers
            ]
            self.names.definitions.append(z3.And(*near))
            if name == "and":
                for each in (x, y):
                    fact = z3.Implies(each >= 0, z3.And(result >= 0, result <= each))
                    self.names.definitions.append(fact)
            self._bits[key] = result, x, y
        return scalar(self._bits[key][0], bits, {**needs, **more}, a.data | b.data)

    def exclusive_or(self, offset: Formula, other: Callable[[Formula], Formula]) -> list[Formula]:
        """Return that `a ^ b` of two threads differ if only `a` or only `b` do."""
        mine = self._behind_it(offset)
        return [
            z3.Implies(z3.And(result == other(result), one == other(one)), two == other(two))
            for (kind, _, _), (result, x, y) in self._bits.items()
            if kind == "xor" and result.decl().name() in mine
            for one, two in ((x, y), (y, x))
        ]

    @staticmethod
    def _unsigned(signed: Value, a: Value, b: Value, how: str) -> Value:
        """Compare numbers of which a negative one stands for one above all others."""
        (x, _), (y, _) = a.at(()), b.at(())
        formula, needs = signed.at(())
        above = z3.BoolVal(how[1] == "g")
        exactly = z3.If((x < 0) == (y < 0), formula, z3.If(x < 0, above, z3.Not(above)))
        return scalar(exactly, None, needs, signed.data)

    def _converted(self, name: str, kind: str, value: Value, to: str) -> Value:
        bits = INTEGER.match(to)
        value = self._number(kind, value)
        if bits is None or value.kind not in {"int", "bool"}:
            return self._unknown(to, value.data)
        self._require_all(value)
        formula, needs = value.at(())
        needs = dict(needs)
        if value.kind == "bool":
            one = z3.IntVal(1 if name == "zext" else -1)
            return scalar(z3.If(formula, one, z3.IntVal(0)), int(bits[1]), needs, value.data)
        more: list[Formula] = []
        if name == "zext":
            more = [formula >= 0]
        elif to == "i1":
            more = [z3.And(formula >= 0, formula <= 1)]
        elif name == "trunc":
            more = in_range(formula, int(bits[1]))
            if value.data and z3.is_const(formula) and not z3.is_int_value(formula):
                return self._unknown(to, value.data)
        needs |= {each.get_id(): each for each in more}
        if to == "i1":
            return scalar(formula != 0, None, needs, value.data)
        return scalar(formula, int(bits[1]), needs, value.data)

    def _extreme(self, kind: str, a: Value, b: Value) -> Value:
        value = evaluate(self.arithmetic.extreme(kind.endswith("min"), a, b))
        if kind[0] == "s":
            return value
        formula, needs = value.at(())
        positive = z3.And(a.at(())[0] >= 0, b.at(())[0] >= 0)
        return scalar(formula, a.bits, {**needs, positive.get_id(): positive}, value.data)

    def _base(self, memory: Memory) -> Formula:
        """Return the address of an array, which is the same for all threads."""
        if memory.number not in self.bases:
            base = self.names.integer("address")
            self.bases[memory.number] = base, memory
            self._uniform.add(base.decl().name())
            self._of_all.add(base.decl().name())
            self.names.definitions += [base >= 0, base < 1 << 62]
        return self.bases[memory.number][0]

    def _address(self, value: Value, to: str) -> Value:
        """Return an address as a number. All threads have the same one of what they share."""
        own = not isinstance(value.tensor, Memory) or value.tensor.space == "local"
        if value.kind != "pointer" or own or to != "i64":
            return self._unknown(to, value.data | {"an address as a number"})
        assert isinstance(value.tensor, Memory)
        offset, needs = value.at(())
        number = self._base(value.tensor) + offset
        needs = {**needs, **{each.get_id(): each for each in in_range(number, 64)}}
        return scalar(number, 64, needs, value.data)

    def _is_address(self, value: Value) -> bool:
        if value.kind != "int":
            return value.kind == "pointer"
        mine = self._behind_it(value.at(())[0])
        return any(base.decl().name() in mine for base, _ in self.bases.values())

    def _of_another_lane(self, value: Value, state: State) -> Value:
        """Return the address that any lane of the warp has here, of which the same holds."""
        assert value.tensor is not None
        formula, needs = value.at(())
        by = {
            name: (one, self.names.integer(f"{name}~") if z3.is_int(one) else self.names.truth())
            for name, one in self._behind_it(formula).items()
            if not self._is_shared(name)
        }
        if not by:
            return value
        facts = [
            each
            for each in (
                *(one for name in by for one in self._about(name)),
                *self.facts,
                *state.facts,
            )
            if (mine := {name for name in self._variables(each) if not self._is_shared(name)})
            and mine <= set(by)
        ]
        same_warp = [
            self.names.divide(one, z3.IntVal(32))[0]
            == self.names.divide(renamed(one, by), z3.IntVal(32))[0]
            for one in self.threads
        ]
        state.known = (*state.known, *(renamed(each, by) for each in facts), *same_warp)
        theirs = {key: renamed(need, by) for key, need in needs.items()}
        return pointer(value.tensor, renamed(formula, by), theirs, value.data)


def whole(formula: Formula, by: int) -> Formula | None:
    """Return a number divided by another one, if nothing is left, however it was chosen."""
    quotient = exact(formula, z3.IntVal(by))
    if quotient is not None:
        return quotient
    if z3.is_add(formula):
        parts = [whole(each, by) for each in formula.children()]
        return None if any(part is None for part in parts) else z3.Sum(parts)
    if z3.is_app_of(formula, z3.Z3_OP_ITE):
        condition, *sides = formula.children()
        left, right = (whole(each, by) for each in sides)
        return None if left is None or right is None else z3.If(condition, left, right)
    return None
