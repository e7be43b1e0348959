"""Can an access leave its tensor, and can two programs meet at an element of it?

An offset is divided by the tensor's strides, from the largest to the smallest. If each quotient is
a place on its axis, then the access is inside, also of a tensor with gaps between its rows; and two
such accesses meet only where all places are equal. Without this lemma about row-major places z3
would have to reason about products of sizes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hotloop.engines.prover.kernel import Access, Obligation
from hotloop.engines.prover.polynomial import Polynomials
from hotloop.engines.prover.solver import Clock, contradiction, implies, variables
from hotloop.engines.prover.values import Tensor
from hotloop.engines.prover.z3_types import Formula, z3

QUESTION_S = 1.5
SEARCH_S = 1.0

Smallest = Callable[[Sequence[Formula]], Any]
"""Returns a model of the facts with small sizes, or None."""


Meeting = Callable[[Access, Access, Callable[[Formula], Formula]], Formula]
"""Returns when two accesses of two programs are not ordered; the last makes the other program's."""


class Reader(Protocol):
    """What has read a kernel."""

    @property
    def obligations(self) -> list[Obligation]:
        """What must hold so that it is read right."""
        ...

    @property
    def programs(self) -> list[Formula]:
        """Which program this is."""
        ...


@dataclass(frozen=True)
class Finding:
    """What holds of one question. model: of sizes and programs for which it does not hold."""

    proved: bool
    reason: str = ""
    line: int | None = None
    model: Any = None


PROVED = Finding(True)


@dataclass(frozen=True)
class Places:
    """An access that stays inside, with its place on each axis; None: only its offset is known."""

    access: Access
    axes: Sequence[Formula] | None


def check_needs(kernel: Reader, definitions: Sequence[Formula], clock: Clock) -> Finding:
    """Return whether masks, conditions and loops mean what they say."""
    known: dict[int, list[frozenset[int]]] = {}
    for each in kernel.obligations:
        facts = frozenset(fact.get_id() for fact in each.facts)
        if any(fewer <= facts for fewer in known.get(each.need.get_id(), [])):
            continue
        if not implies([*definitions, *each.facts], each.need, clock, QUESTION_S):
            reason = "an index may not fit in 32 bits, or a divisor may not be positive"
            return Finding(False, each.reason or reason, each.line)
        known.setdefault(each.need.get_id(), []).append(facts)
    return PROVED


def check_bounds(
    access: Access, definitions: Sequence[Formula], clock: Clock, smallest: Smallest
) -> tuple[Finding, Places]:
    """Return whether an access stays inside of its tensor."""
    facts = [*definitions, *access.facts]
    name = access.words
    places, outside = _proved_places(access, facts, clock)
    if places is None:
        return _not_inside(access, facts, outside, name, smallest), Places(access, None)
    for need in access.needs:
        if not implies(facts, need, clock, QUESTION_S):
            reason = f"the offset of {name} may not fit in 32 bits"
            return Finding(False, reason, access.line), places
    return PROVED, places


def _not_inside(
    access: Access,
    facts: Sequence[Formula],
    outside: Formula,
    name: str,
    smallest: Smallest,
) -> Finding:
    where = f"{name} at `{access.tensor.name}`"
    if access.data:
        why = ", ".join(sorted(access.data))
        return Finding(False, f"the address of {where} depends on {why}", access.line)
    model = smallest([*facts, outside])
    reason = f"{where} may be outside" if model else f"the offset of {where} is too hard for z3"
    return Finding(False, reason, access.line, model)


def _proved_places(
    access: Access, facts: Sequence[Formula], clock: Clock
) -> tuple[Places | None, Formula]:
    """Return the places, if they are surely inside, and what it means to be outside."""
    tensor, offset = access.tensor, z3.simplify(access.offset)
    last: Any = z3.IntVal(0)
    for size, stride in zip(tensor.sizes, tensor.strides, strict=True):
        last = last + (size - 1) * stride
    outside = z3.Or(offset < 0, offset > last)
    axes = axes_of(tensor, offset)
    if axes is not None:
        known: list[Formula] = []
        for axis, size in zip(axes, tensor.sizes, strict=True):
            claim = z3.And(axis >= 0, axis < size)
            if not implies([*facts, *known], claim, clock, QUESTION_S):
                break
            known.append(claim)
        else:
            return Places(access, axes), outside
    if tensor.contiguous and implies(facts, z3.Not(outside), clock, QUESTION_S):
        return Places(access, None), outside
    return None, outside


def axes_of(tensor: Tensor, offset: Formula) -> list[Formula] | None:
    """Return the place on each axis whose strides add up to the offset, or None."""
    polynomials = Polynomials()
    rest = polynomials.of(offset)
    strides = [polynomials.of(z3.simplify(stride)) for stride in tensor.strides]
    if rest is None or any(not stride for stride in strides):
        return None
    axes: list[Formula] = [z3.IntVal(0)] * len(strides)

    def weight(axis: int) -> tuple[int, int]:
        terms = strides[axis] or {}
        return max(len(each) for each in terms), sum(terms.values())

    for axis in sorted(range(len(strides)), key=weight, reverse=True):
        if tensor.sizes[axis].eq(z3.IntVal(1)):
            continue
        parts = polynomials.divide(rest, strides[axis] or {})
        if parts is None:
            return None
        quotient, rest = parts
        axes[axis] = polynomials.formula(quotient)
    return None if rest else axes


def check_races(
    kernel: Reader,
    places: Sequence[Places],
    definitions: Sequence[Formula],
    shared: Sequence[Formula],
    clock: Clock,
    smallest: Smallest,
    meeting: Meeting | None = None,
    who: str = "programs",
) -> Finding:
    """Return whether no two programs use one element, one of them writing.

    shared: what is equal for both. meeting: when two accesses are not ordered, if some are.
    """
    common = variables(shared)
    everything = [*definitions]
    for each in places:
        everything += [*each.access.facts, each.access.offset, *(each.axes or [])]
    renamed = [
        (one, z3.Const(f"{name}'", one.sort()))
        for name, one in variables([*everything, *kernel.programs]).items()
        if name not in common
    ]

    def other(formula: Formula) -> Formula:
        return z3.substitute(formula, *renamed) if renamed else formula

    differ = z3.Or(*(program != other(program) for program in kernel.programs))
    again = [other(each) for each in definitions]
    for index, one in enumerate(places):
        for two in places[index:]:
            kinds = {one.access.kind, two.access.kind}
            if one.access.tensor is not two.access.tensor or kinds in ({"load"}, {"atomic"}):
                continue
            apart = differ if meeting is None else meeting(one.access, two.access, other)
            if z3.is_false(z3.simplify(apart)):
                continue
            facts = [*definitions, *again, *one.access.facts, *map(other, two.access.facts), apart]
            meet = one.access.offset == other(two.access.offset)
            finding = _no_meeting(
                one, two, facts, _equal(one, two, other), meet, clock, smallest, who
            )
            if not finding.proved:
                return finding
    return PROVED


def _equal(one: Places, two: Places, other: Callable[[Formula], Formula]) -> Formula:
    """Return the condition that both are the same element."""
    if one.axes is None or two.axes is None or not one.access.tensor.disjoint:
        return one.access.offset == other(two.access.offset)
    return z3.And(*(a == other(b) for a, b in zip(one.axes, two.axes, strict=True)))


def _no_meeting(
    one: Places,
    two: Places,
    facts: Sequence[Formula],
    equal: Formula,
    meet: Formula,
    clock: Clock,
    smallest: Smallest,
    who: str,
) -> Finding:
    if contradiction([*facts, equal], clock, QUESTION_S, of_two_programs=True):
        return PROVED
    name, line = one.access.tensor.name, one.access.line
    data = one.access.data | two.access.data
    if data:
        why = ", ".join(sorted(data))
        return Finding(False, f"which elements of `{name}` are used depends on {why}", line)
    model = smallest([*facts, equal, meet])
    if model is None:
        return Finding(False, f"whether two {who} meet at `{name}` is too hard for z3", line)
    return Finding(False, f"two {who} may meet at `{name}`", line, model)
