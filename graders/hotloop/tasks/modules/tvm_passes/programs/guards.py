"""Guards of TIR functions: which ones the surrounding loops decide, and which ones a pass left.

A guard is decided if its condition, which reads no buffer, is true or false for all values of the
loop variables around it, given the conditions of the guards around it. Peeling off the last
iteration of a loop of constant length is worth it if that decides a guard in the other iterations.
Nothing is rewritten here: a peeled iteration is treated as a loop whose variable has one value.

A pass could also hide a guard where this analysis does not see it: behind a load, a bound name, a
loop's length, or the kind of the loop around it. So loops and bound names must be of sorts that the
original has, and passes.py counts how often guards are evaluated when the functions run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import product
from math import prod
from typing import Any

import tvm
import tvm_ffi
from tvm import sym, tirx
from tvm.ir import Range

MOST_POINTS = 4096
"""Most values of all loop variables together that are tried for one guard."""

_BY_VALUES = ContextVar("by values", default=False)

Ranges = dict[Any, Any]
Facts = tuple[Any, ...]


def mismatch(before: tvm.IRModule, after: tvm.IRModule) -> str | None:
    """Return a message fragment if a guard is left or anything else was changed, else None."""
    for variable, function in before.functions_items():
        fault = _about(function, after[variable.name_hint])
        if fault is not None:
            return f"in {variable.name_hint!r} {fault}"
    return None


def _about(before: Any, after: Any) -> str | None:
    if not list(chances(before.body, {}, ())):
        if tvm_ffi.structural_equal(before, after):
            return None
        with by_values():
            more = any(chances(before.body, {}, ()))
        if not more:
            return "there is no guard to eliminate, and it was changed"
    for what in chances(after.body, {}, ()):
        return what
    for what in sorted(_sorts(after) - _sorts(before)):
        return f"{what} has come in, and there was none"
    return None


def has_less_to_do(before: Any, after: Any) -> bool:
    """Whether the pass has eliminated some of the decided guards."""
    had = sum(1 for _ in chances(before.body, {}, ()))
    return had > 0 and sum(1 for _ in chances(after.body, {}, ())) < had


def other_kinds(before: tvm.IRModule, after: tvm.IRModule) -> str | None:
    """Return a message fragment if a loop has a kind that no loop of the original had, else None.

    A parallel loop, for example, has no order of iterations.
    """
    for variable, function in before.functions_items():
        for kind in sorted(_kinds(after[variable.name_hint]) - _kinds(function)):
            return f"in {variable.name_hint!r} a loop has become {kind}"
    return None


def _kinds(function: Any) -> set[str]:
    return {tirx.ForKind(loop.kind).name.lower() for loop in nodes(function.body, tirx.For)}


def _sorts(function: Any) -> set[str]:
    """Return descriptions, as shown to the learner, of the sorts of loops and of bound values."""
    places = {parameter: place for place, parameter in enumerate(function.params)}
    sorts: set[str] = set()

    def length(part: Any) -> str:
        if isinstance(part, tirx.IntImm):
            return "a number"
        return f"parameter {places[part] + 1}" if part in places else "an expression"

    def loop(node: Any) -> None:
        sorts.add(
            f"a loop that begins at {length(node.min)} and is as long as {length(node.extent)}"
        )
        if node.step is not None or node.thread_binding is not None or node.annotations:
            sorts.add("a loop with a step, a thread or an annotation")

    def bind(node: Any) -> None:
        sorts.add(
            f"a value that is bound to a name, {type(node.value).__name__} of {node.value.ty}"
        )

    tvm_ffi.structural_walk(function.body, [(tirx.For, loop), (tirx.Bind, bind)])
    return sorts


def chances(statement: Any, ranges: Ranges, facts: Facts) -> Iterator[str]:
    """Yield descriptions, as shown to the learner, of decided guards and of loops worth peeling."""
    for condition, there, known in guards(statement, ranges, facts):
        if decided(condition, there, known) is not None:
            yield f"the guard {str(condition)!r} is left, which the loops around it decide"
    for part, there, known in _inside(statement, ranges, facts):
        if isinstance(part, tirx.For) and is_worth_peeling(part, there, known):
            name = part.loop_var.name
            yield f"peeling the last iteration of the loop over {name!r} would decide a guard"


def is_worth_peeling(loop: Any, ranges: Ranges, facts: Facts) -> bool:
    """Whether peeling off the last iteration decides a guard in the others."""
    parts = (loop.min, loop.extent)
    # Loops of any kind count: making a loop parallel must not avoid peeling it.
    if not all(isinstance(part, tirx.IntImm) for part in parts) or int(loop.extent) < 2:
        return False
    variable = loop.loop_var
    fewer = of(loop.min, tirx.IntImm(variable.ty.dtype, int(loop.extent) - 1))
    inside = guards(loop.body, {**ranges, variable: of(*parts)}, facts)
    return any(
        decided(condition, there, known) is None
        and decided(condition, {**there, variable: fewer}, known) is not None
        for condition, there, known in inside
    )


def guards(statement: Any, ranges: Ranges, facts: Facts) -> Iterator[tuple[Any, Ranges, Facts]]:
    """Yield each reachable guard's condition, with the ranges and facts that hold there."""
    for part, there, known in _inside(statement, ranges, facts):
        if isinstance(part, tirx.IfThenElse):
            yield part.condition, there, known


def _inside(statement: Any, ranges: Ranges, facts: Facts) -> Iterator[tuple[Any, Ranges, Facts]]:
    """Yield all reachable statements in a statement, with the ranges and facts that hold there."""
    yield statement, ranges, facts
    if isinstance(statement, tirx.SeqStmt):
        for part in statement.seq:
            yield from _inside(part, ranges, facts)
    if isinstance(statement, tirx.For):
        inner = {**ranges, statement.loop_var: of(statement.min, statement.extent)}
        yield from _inside(statement.body, inner, facts)
    if isinstance(statement, tirx.IfThenElse):
        for branch, more in open_branches(statement, ranges, facts):
            yield from _inside(branch, ranges, (*facts, *more))


def open_branches(guard: Any, ranges: Ranges, facts: Facts) -> list[tuple[Any, Facts]]:
    """Return the branches that may be taken, with the facts that hold in each."""
    answer = decided(guard.condition, ranges, facts)
    branches = [(guard.then_case, guard.condition, True)]
    if guard.else_case is not None:
        branches.append((guard.else_case, tirx.Not(guard.condition), False))
    return [
        (branch, () if _reads(condition) else (condition,))
        for branch, condition, when in branches
        if answer in {None, when}
    ]


@contextmanager
def by_values() -> Iterator[None]:
    """Inside of this, `decided` also tries all values of loop variables.

    That decides more than TVM's analyzer proves. A pass may do either.
    """
    token = _BY_VALUES.set(True)
    try:
        yield
    finally:
        _BY_VALUES.reset(token)


def decided(condition: Any, ranges: Ranges, facts: Facts) -> bool | None:
    """Return the condition's value if it is proven, else None."""
    if _reads(condition):
        return None
    analyzer = sym.Analyzer()
    for variable, extent in ranges.items():
        analyzer.bind(variable, extent)
    answer = _proven(analyzer, condition, facts)
    return _tried(condition, ranges, facts) if answer is None and _BY_VALUES.get() else answer


def _tried(condition: Any, ranges: Ranges, facts: Facts) -> bool | None:
    """Return what all values of the loop variables agree on; None also if some are not constant."""
    known = [fact for fact in facts if set(nodes(fact, tirx.Var)) <= set(ranges)]
    used = {variable for each in (condition, *known) for variable in nodes(each, tirx.Var)}
    spans = {v: extent for v, extent in ranges.items() if v in used}
    if used - set(spans) or not all(
        isinstance(part, tirx.IntImm) for e in spans.values() for part in (e.min, e.extent)
    ):
        return None
    values = [range(int(e.min), int(e.min) + int(e.extent)) for e in spans.values()]
    if prod(map(len, values)) > MOST_POINTS:
        return None
    points = [dict(zip(spans, point, strict=True)) for point in product(*values)]
    answers = {_at(condition, p) for p in points if all(_at(fact, p) for fact in known)}
    # Where no value is left, nothing is ever asked.
    return None if len(answers) > 1 else next(iter(answers), True)


def _at(condition: Any, point: dict[Any, int]) -> bool:
    values = {v: tirx.IntImm(v.ty.dtype, number) for v, number in point.items()}
    replace = (tirx.Var, lambda used: values.get(used, used))
    return bool(int(sym.Analyzer().simplify(tvm_ffi.structural_map(condition, replace))))


def _proven(analyzer: Any, condition: Any, facts: Facts) -> bool | None:
    if facts:
        with analyzer.constraint_scope(analyzer.simplify(facts[0])):
            return _proven(analyzer, condition, facts[1:])
    if analyzer.can_prove(condition):
        return True
    return False if analyzer.can_prove(tirx.Not(condition)) else None


def _reads(expression: Any) -> bool:
    return bool(nodes(expression, tvm.ir.TensorLoad))


def nodes(root: Any, kind: type) -> list[Any]:
    """Return all nodes of a type in a statement or expression."""
    matches: list[Any] = []
    tvm_ffi.structural_walk(root, (kind, matches.append))
    return matches


def of(start: Any, extent: Any) -> Any:
    """Return the range of a loop's variable."""
    return Range.from_min_extent(start, extent)
