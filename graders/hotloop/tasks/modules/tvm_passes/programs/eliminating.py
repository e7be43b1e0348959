"""Eliminate the guards of our own random programs, as a complete pass would.

Trusted: it sees only our modules. How often its results evaluate their guards is the limit for the
results of a candidate's pass; the values that they compute are not used.
"""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401
import guards
import tvm
import tvm_ffi
from tvm import tirx

NOTHING = tirx.Evaluate(0)


def eliminated(source: str, drops: bool, outer_first: bool, by_values: bool) -> str:
    """Return the path of a copy of the module at `source` without decided guards.

    drops: whether to also remove guards and loops with empty bodies, which is optional for a pass.
    outer_first: whether to peel a loop before the loops in it. Both change which loops are peeled,
    and so how often the remaining guards are evaluated; so does by_values, as in `guards`.
    """
    module = tvm.ir.load_json(Path(source).read_text())
    with guards.by_values() if by_values else nullcontext():
        functions = {
            variable: function.with_body(_Elimination(drops, outer_first).of(function.body, {}, ()))
            for variable, function in module.functions_items()
        }
    target = Path(tempfile.mkdtemp()) / "eliminated.json"
    target.write_text(tvm.ir.save_json(tvm.IRModule(functions)))
    return str(target)


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
        return _sequence(
            [
                self.of(others, ranges, facts),
                self.of(_with_value(loop.body, loop.loop_var, last), ranges, facts),
            ]
        )

    def _is_dropped(self, statement: Any) -> bool:
        return self.drops and isinstance(statement, tirx.Evaluate)


def _sequence(parts: list[Any]) -> Any:
    """Join statements into one SeqStmt, without nested sequences and without empty statements."""
    flat: list[Any] = []
    for part in parts:
        flat += part.seq if isinstance(part, tirx.SeqStmt) else [part]
    kept = [part for part in flat if not isinstance(part, tirx.Evaluate)]
    return tirx.SeqStmt(kept) if len(kept) > 1 else (kept or [NOTHING])[0]


def _with(loop: Any, extent: Any, body: Any) -> Any:
    return tirx.For(loop.loop_var, loop.min, extent, loop.kind, body)


def _with_value(body: Any, variable: Any, value: Any) -> Any:
    replace = (tirx.Var, lambda used: value if used.same_as(variable) else used)
    return tvm_ffi.structural_map(body, replace)
