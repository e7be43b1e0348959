"""What random programs rarely hold, and a careless pass gets wrong: put before some of them.

Each of these tells a mistake by itself, so that no mistake of its kind passes by luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from hotloop.checks.ssa_passes.trees import (
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
    """They are equal, and what is divided by them is not."""
    parts = ((Const(1.0), Const(0.0)), (Const(1.0), Const(-0.0)))
    return [Print(Op("div", args, "float")) for args in parts]


def minus_zero() -> list[Stmt]:
    """It is no longer negative when the other zero is added."""
    zero = Var("zero", "float")
    sums = (_plus(zero, Const(0.0)), Op("sub", (zero, Const(-0.0)), "float"))
    divisions = [Op("div", (Const(1.0), sum_), "float") for sum_ in sums]
    return [Assign(zero, Const(-0.0)), *(Print(division) for division in divisions)]


def no_number() -> list[Stmt]:
    """It differs from itself, no order holds between the two, and their quotient is not 1.0."""
    nan = Var("nowhere", "float")
    comparisons = [Op(op, (nan, nan), "bool") for op in ("eq", "ne", "le", "lt")]
    return [
        Assign(nan, Op("sub", (Const(math.inf), Const(math.inf)), "float")),
        *(Print(comparison) for comparison in comparisons),
        Print(Op("div", (nan, nan), "float")),
    ]


def no_round() -> list[Stmt]:
    """A division by zero in a loop that does not change it, and never comes to it."""
    zero, turn = Var("none", "int"), Var("turn", "int")
    division = Print(Op("div", (Const(7), zero), "int"))
    return [
        Assign(zero, Op("sub", (Const(3), Const(3)), "int")),
        For(turn, Const(0), zero, [division]),
    ]


def decided() -> list[Stmt]:
    """A way that is never gone leads straight to where another value comes from."""
    value = Var("value", "int")
    return [
        Assign(value, Const(1)),
        If(_less(Const(3), Const(5)), [Assign(value, Const(2)), Print(value)], []),
        Print(value),
    ]


def two_ways_in() -> list[Stmt]:
    """No block before the loop is passed on both ways to it, and a sum in it never changes."""
    turn = Var("turn", "int")
    step = Assign(turn, _plus(turn, Const(1)))
    return [
        If(_less(_A, Const(2)), [Print(_A)], [Print(_B)]),
        Assign(turn, Const(0)),
        While(_less(turn, Const(2)), [step, Print(_plus(_A, _B))]),
    ]


def joined_twice() -> list[Stmt]:
    """Two values meet behind a condition; what they became meets the first one in the loop."""
    value, turn = Var("value", "int"), Var("turn", "int")
    added = Assign(value, _plus(value, turn))
    return [
        Assign(value, Const(1)),
        For(turn, Const(0), Const(3), [If(_less(Const(0), turn), [added], [])]),
        Print(value),
    ]


def tested_first() -> list[Stmt]:
    """A division that the question before it excludes."""
    zero = Var("none", "int")
    asks = Op("ne", (zero, Const(0)), "bool")
    divides = _less(Const(1), Op("div", (Const(7), zero), "int"))
    condition = Op("and", (asks, divides), "bool")
    return [Assign(zero, Const(0)), If(condition, [Print(Const(1))], [Print(Const(2))])]


def rounds() -> list[Stmt]:
    """Four rounds, as a range is computed once, and two where its bound is read anew; a step that
    `continue` goes to; and a block behind two ways that both leave."""
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
"""Of ints only. By the number of the program, of which `EVERY` begin anew."""

IN_BLOCKS: Mapping[int, Rare] = {
    0: both_zeros,
    2: minus_zero,
    4: no_number,
    7: two_ways_in,
    10: no_round,
    13: decided,
    17: joined_twice,
}
