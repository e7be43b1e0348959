"""Eliminate the guards of our own random programs, as a complete pass would.

How often the results evaluate their guards is the limit for the results of a candidate's pass, and
so is how many stores they have; the values that they compute are not used.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import bare_tvm  # noqa: F401
import guards
import tvm
import tvm_ffi
from tvm import tirx

NOTHING = tirx.Evaluate(0)


# Allows for peeling either of two loops for a guard, in any order, but not for unrolling them.
SLACK = 3


def eliminated(
    module: tvm.IRModule, drops: bool, outer_first: bool, by_values: bool
) -> tvm.IRModule:
    """Return a copy of the module without decided guards.

    drops: whether to also remove guards and loops with empty bodies, which is optional for a pass.
    outer_first: whether to peel a loop before the loops in it. Both change which loops are peeled,
    and so how often the remaining guards are evaluated; so does by_values, as in `guards`.
    """
    elimination = _Elimination(drops, outer_first)
    with guards.by_values() if by_values else nullcontext():
        functions = {
            variable: function.with_body(elimination.of(function.body, {}, ()))
            for variable, function in module.functions_items()
        }
    return tvm.IRModule(functions)


def mismatch(before: tvm.IRModule, after: tvm.IRModule) -> str | None:
    """Return a message fragment if `after` has far more stores than our own elimination leaves."""
    for variable, function in before.functions_items():
        ours = _Elimination(drops=False, outer_first=True).of(function.body, {}, ())
        needed = len(guards.nodes(ours, tirx.BufferStore))
        has = len(guards.nodes(after[variable.name_hint].body, tirx.BufferStore))
        if has > SLACK * needed + 4:
            return (
                f"in {variable.name_hint!r} there are {has} stores, far more than peeling last "
                "iterations makes of them"
            )
    return None


class _Elimination:
    def __init__(self, drops: bool, outer_first: bool) -> None:
        self.drops = drops
        self.outer_first = outer_first

    def of(self, statement: Any, ranges: guards.Ranges, facts: guards.Facts) -> Any:
        """Return the statement without the guards that `ranges` and `facts` decide."""
        if isinstance(statement, tirx.SeqStmt):
            return _sequence([self.of(part, ranges, facts) for part in statement.seq])
        if isinstance(statement, tirx.IfThenElse):
            return self._guard(statement, ranges, facts)
        if isinstance(statement, tirx.For):
            return self._loop(statement, ranges, facts)
        return statement

    def _guard(self, guard: Any, ranges: guards.Ranges, facts: guards.Facts) -> Any:
        answer = guards.decided(guard.condition, ranges, facts)
        branches = [
            self.of(branch, ranges, (*facts, *more))
            for branch, more in guards.open_branches(guard, ranges, facts)
        ]
        if answer is not None:
            return branches[0] if branches else NOTHING
        then, *otherwise = branches
        if otherwise and self._is_dropped(otherwise[0]):
            otherwise = []
        if not otherwise and self._is_dropped(then):
            return NOTHING
        return tirx.IfThenElse(guard.condition, then, *(otherwise or [None]))

    def _loop(self, loop: Any, ranges: guards.Ranges, facts: guards.Facts) -> Any:
        if self.outer_first and guards.is_worth_peeling(loop, ranges, facts):
            return self._peeled(loop, ranges, facts)
        whole = guards.of(loop.min, loop.extent)
        body = self.of(loop.body, {**ranges, loop.loop_var: whole}, facts)
        if self._is_dropped(body):
            return NOTHING
        again = _with(loop, loop.extent, body)
        if not guards.is_worth_peeling(again, ranges, facts):
            return again
        return self._peeled(again, ranges, facts)

    def _peeled(self, loop: Any, ranges: guards.Ranges, facts: guards.Facts) -> Any:
        """Return the loop without its last iteration, followed by the last iteration alone."""
        kind, length = loop.loop_var.ty.dtype, int(loop.extent)
        last = tirx.IntImm(kind, int(loop.min) + length - 1)
        others = _with(loop, tirx.IntImm(kind, length - 1), loop.body)
        replace = (tirx.Var, lambda used: last if used.same_as(loop.loop_var) else used)
        alone = tvm_ffi.structural_map(loop.body, replace)
        return _sequence([self.of(others, ranges, facts), self.of(alone, ranges, facts)])

    def _is_dropped(self, statement: Any) -> bool:
        return self.drops and isinstance(statement, tirx.Evaluate)


def _sequence(parts: list[Any]) -> Any:
    """Join statements into one SeqStmt, without nested sequences and without empty statements."""
    flat: list[Any] = []
    for part in parts:
        flat += part.seq if isinstance(part, tirx.SeqStmt) else [part]
    rest = [part for part in flat if not isinstance(part, tirx.Evaluate)]
    return tirx.SeqStmt(rest) if len(rest) > 1 else (rest or [NOTHING])[0]


def _with(loop: Any, extent: Any, body: Any) -> Any:
    return tirx.For(loop.loop_var, loop.min, extent, loop.kind, body)
