"""What a thread knows at a place: its variables, and the way that has led it there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hotloop.engines.prover.solver import Clock, NotRead, model_of
from hotloop.engines.prover.values import (
    NOTHING,
    Arithmetic,
    Needs,
    Tensor,
    Value,
    of_formula,
    unknown,
)
from hotloop.engines.prover.z3_types import Formula, z3


@dataclass(frozen=True, eq=False)
class Memory(Tensor):
    """An array. space: "global", "shared", "constant" or "local", of one thread.

    number: another one for each; bytes: of all of it, where they are a number.
    """

    space: str = "global"
    number: int = 0
    bytes: int = 0


Cell = tuple[int, int]
"""A place in a thread's own memory: the number of its `Memory`, and a byte."""

ALWAYS_S = 0.05
PHASE: Cell = (0, 0)
"""How many barriers the thread has passed, as if it were a variable."""


@dataclass
class State:
    """cells: sizes and values of variables; path: conditions on the way; known: what else holds."""

    cells: dict[Cell, tuple[int, Value]] = field(default_factory=dict[Cell, tuple[int, Value]])
    path: tuple[Formula, ...] = ()
    known: tuple[Formula, ...] = ()

    def copy(self, *more: Formula) -> "State":
        """Return it with more conditions."""
        return State(dict(self.cells), (*self.path, *more), self.known)

    @property
    def facts(self) -> list[Formula]:
        """All that holds here."""
        return [*self.known, *self.path]

    @property
    def phase(self) -> Formula:
        """The number of barriers, as a formula."""
        return self.cells[PHASE][1].at(())[0]

    def drop(self, memory: int, start: int | None, size: int) -> None:
        """Forget variables that lie there; start: None for all of the memory."""
        for cell in [
            cell
            for cell, (length, _) in self.cells.items()
            if cell[0] == memory
            and (start is None or (cell[1] < start + size and start < cell[1] + length))
        ]:
            del self.cells[cell]


def scalar(
    formula: Formula, bits: int | None, needs: Needs = NOTHING, data: frozenset[str] = frozenset()
) -> Value:
    """Return a number or truth, in its simplest form."""
    kept = {
        need.get_id(): need for need in map(z3.simplify, needs.values()) if not z3.is_true(need)
    }
    return replace(of_formula(z3.simplify(formula), bits, kept), data=data)


def pointer(memory: Tensor, offset: Formula, needs: Needs, data: frozenset[str]) -> Value:
    """Return an address, as an offset in bytes."""
    simple = z3.simplify(offset)
    return Value("pointer", (), lambda _: (simple, needs), tensor=memory, data=data)


def evaluate(value: Value) -> Value:
    """Return the value computed: nothing of it is left for later."""
    if value.kind == "unknown" or value.shape is None:
        return value
    formula, needs = value.at(())
    if value.kind == "pointer":
        assert value.tensor is not None
        return pointer(value.tensor, formula, needs, value.data)
    return scalar(formula, value.bits, needs, value.data)


def constant(value: Value) -> int | None:
    """Return the number that a value is, or None."""
    if value.kind not in {"int", "pointer"}:
        return None
    formula = value.at(())[0]
    return int(formula.as_long()) if z3.is_int_value(formula) else None


def same(a: Value, b: Value) -> bool:
    """Return whether both are surely one value."""
    if a is b:
        return True
    if "unknown" in {a.kind, b.kind} or a.kind != b.kind or a.tensor is not b.tensor:
        return a.kind == b.kind == "unknown"
    return bool(a.at(())[0].eq(b.at(())[0]))


def either(arithmetic: Arithmetic, condition: Formula, a: Value, b: Value) -> Value:
    """Return `condition ? a : b`."""
    if same(a, b) and a.kind == "unknown":
        return unknown(*a.data, *b.data)
    try:
        chosen = arithmetic.choose(of_formula(condition), a, b)
    except NotRead:
        return unknown("a pointer to one of two arrays")
    if chosen.kind == "unknown":
        return unknown(*a.data, *b.data)
    formula = chosen.at(())[0]
    needs: dict[int, Formula] = {}
    for side, value in ((condition, a), (z3.Not(condition), b)):
        for need in value.at(())[1].values():
            under = z3.Implies(side, need)
            needs[under.get_id()] = under
    if chosen.kind == "pointer":
        assert chosen.tensor is not None
        return pointer(chosen.tensor, formula, needs, chosen.data)
    return scalar(formula, a.bits, needs, chosen.data)


def merged(arithmetic: Arithmetic, states: Sequence[State]) -> tuple[State, list[Formula]]:
    """Return what holds where several ways meet, and the condition of each way."""
    if len(states) == 1:
        return states[0].copy(), [z3.BoolVal(True)]
    prefix = _common([state.path for state in states])
    conditions = [_and(state.path[prefix:]) for state in states]
    known = _common([state.known for state in states])
    result = State(path=_joined([state.path for state in states], prefix))
    result.known = (
        *states[0].known[:known],
        *(
            z3.Implies(condition, fact)
            for state, condition in zip(states, conditions, strict=True)
            for fact in state.known[known:]
        ),
    )
    for cell, (size, value) in states[0].cells.items():
        for state, condition in zip(states[1:], conditions[1:], strict=True):
            there = state.cells.get(cell)
            if there is None or there[0] != size:
                break
            if not same(value, there[1]):
                value = either(arithmetic, condition, there[1], value)
        else:
            result.cells[cell] = size, value
    return result, conditions


def _common(every: Sequence[tuple[Formula, ...]]) -> int:
    """Return how many formulas all begin with."""
    count = 0
    for parts in zip(*every, strict=False):
        if not all(part.eq(parts[0]) for part in parts):
            break
        count += 1
    return count


def _joined(paths: Sequence[tuple[Formula, ...]], prefix: int) -> tuple[Formula, ...]:
    """Return the conditions of any of the ways: of `a, b` and `a, not b` it is `a`."""
    left = list(paths)
    while len(left) > 1:
        for one in left:
            other = next((two for two in left if _are_both_sides(one, two)), None)
            if other is not None:
                left = [each for each in left if each is not one and each is not other]
                left.append(one[:-1])
                break
        else:
            any_way = z3.Or(*(_and(path[prefix:]) for path in left))
            # Behind `a || b ? c : d` all have come together again.
            always = model_of([z3.Not(any_way)], Clock(ALWAYS_S), ALWAYS_S) is False
            return paths[0][:prefix] if always else (*paths[0][:prefix], any_way)
    return left[0]


def _are_both_sides(one: tuple[Formula, ...], two: tuple[Formula, ...]) -> bool:
    if not one or len(one) != len(two) or _common([one, two]) != len(one) - 1:
        return False
    return bool(one[-1].eq(z3.Not(two[-1])) or two[-1].eq(z3.Not(one[-1])))


def _and(formulas: Sequence[Formula]) -> Formula:
    return z3.And(*formulas) if formulas else z3.BoolVal(True)


def renamed(formula: Formula, by: Mapping[str, tuple[Any, Any]]) -> Formula:
    """Return the formula with other variables."""
    return z3.substitute(formula, *by.values()) if by else formula
