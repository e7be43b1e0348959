"""Cases that random programs rarely contain and careless passes get wrong, put before some of them.

Each case detects its kind of mistake on its own, so that no such mistake passes by luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from hotloop.tasks.modules.ssa_passes.trees import (
    Assign,
    Const,
    Expr,
    For,
    If,
    Leave,
    Op,
    Print,
    Stmt,
    Var,
    While,
)

EVERY = 20

_A, _B = Var("a", "int"), Var("b", "int")


def _less(one: Expr, other: Expr) -> Op:
    return Op("lt", (one, other), "bool")


def _plus(one: Expr, other: Expr) -> Op:
    return Op("add", (one, other), one.type)


def both_zeros() -> list[Stmt]:
    """0.0 and -0.0 compare equal, but divisions by them differ."""
    parts = ((Const(1.0), Const(0.0)), (Const(1.0), Const(-0.0)))
    return [Print(Op("div", args, "float")) for args in parts]


def minus_zero() -> list[Stmt]:
    """-0.0 becomes 0.0 when 0.0 is added to it."""
    zero = Var("zero", "float")
    sums = (_plus(zero, Const(0.0)), Op("sub", (zero, Const(-0.0)), "float"))
    divisions = [Op("div", (Const(1.0), sum_), "float") for sum_ in sums]
    return [Assign(zero, Const(-0.0)), *(Print(division) for division in divisions)]


def no_number() -> list[Stmt]:
    """A nan differs from itself, is not ordered with itself, and nan / nan is not 1.0."""
    nan = Var("nowhere", "float")
    comparisons = [Op(op, (nan, nan), "bool") for op in ("eq", "ne", "le", "lt")]
    return [
        Assign(nan, Op("sub", (Const(math.inf), Const(math.inf)), "float")),
        *(Print(comparison) for comparison in comparisons),
        Print(Op("div", (nan, nan), "float")),
    ]


def no_round() -> list[Stmt]:
    """A loop-invariant division by zero in a loop that runs no iteration."""
    zero, turn = Var("none", "int"), Var("turn", "int")
    division = Print(Op("div", (Const(7), zero), "int"))
    return [
        Assign(zero, Op("sub", (Const(3), Const(3)), "int")),
        For(turn, Const(0), zero, [division]),
    ]


def decided() -> list[Stmt]:
    """A branch that is never taken leads straight to a join that another value reaches."""
    value = Var("value", "int")
    return [
        Assign(value, Const(1)),
        If(_less(Const(3), Const(5)), [Assign(value, Const(2)), Print(value)], []),
        Print(value),
    ]


def two_ways_in() -> list[Stmt]:
    """A loop with two predecessors, neither of which dominates it, and an invariant sum."""
    turn = Var("turn", "int")
    step = Assign(turn, _plus(turn, Const(1)))
    return [
        If(_less(_A, Const(2)), [Print(_A)], [Print(_B)]),
        Assign(turn, Const(0)),
        While(_less(turn, Const(2)), [step, Print(_plus(_A, _B))]),
    ]


def joined_twice() -> list[Stmt]:
    """Two values meet after a condition; the result meets the first value in the loop."""
    value, turn = Var("value", "int"), Var("turn", "int")
    added = Assign(value, _plus(value, turn))
    return [
        Assign(value, Const(1)),
        For(turn, Const(0), Const(3), [If(_less(Const(0), turn), [added], [])]),
        Print(value),
    ]


def tested_first() -> list[Stmt]:
    """A division by zero that a preceding test excludes."""
    zero = Var("none", "int")
    asks = Op("ne", (zero, Const(0)), "bool")
    divides = _less(Const(1), Op("div", (Const(7), zero), "int"))
    condition = Op("and", (asks, divides), "bool")
    return [Assign(zero, Const(0)), If(condition, [Print(Const(1))], [Print(Const(2))])]


def rounds() -> list[Stmt]:
    """Four iterations, since a range is computed once (two if its bound were reevaluated); a
    `continue` that must still step; and a block after an if whose branches both leave.
    """
    bound, first, second = (Var(name, "int") for name in ("bound", "k0", "k00"))
    less = Op("sub", (bound, Const(1)), "int")
    four = For(first, Const(0), bound, [Assign(bound, less), Print(bound)])
    leaving = If(_less(second, Const(2)), [Print(second), Leave("continue")], [Leave("break")])
    return [
        Assign(bound, Const(4)),
        four,
        For(second, Const(0), Const(5), [leaving, Print(bound)]),
    ]


Rare = Callable[[], Sequence[Stmt]]

IN_PYTHON: Mapping[int, Rare] = {0: rounds, 5: tested_first, 10: rounds, 15: joined_twice}
"""Cases of ints only, by the program's number modulo `EVERY`."""

IN_BLOCKS: Mapping[int, Rare] = {
    0: both_zeros,
    2: minus_zero,
    4: no_number,
    7: two_ways_in,
    10: no_round,
    13: decided,
    17: joined_twice,
}
