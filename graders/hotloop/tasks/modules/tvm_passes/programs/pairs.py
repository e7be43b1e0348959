"""Products and sums of Relax functions: which can be fused, and what a pass has made of them.

Both functions are compared as the expressions that they return, each distinct one once, with every
R.ewise_fma expanded to its product and sum. So the order of bindings, names, merged equal
expressions and swapped operands make no difference, and everything else does.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import tvm
import tvm_ffi
from tvm import relax
from tvm.ir import Call, Op

MULTIPLY, ADD, FMA = (Op.get(f"relax.{name}") for name in ("multiply", "add", "ewise_fma"))
EITHER_WAY = {"relax.multiply", "relax.add", "relax.maximum"}


def mismatch(before: tvm.IRModule, after: tvm.IRModule) -> str | None:
    """Return a message fragment unless all pairs, and nothing else, were fused; None if so."""
    for variable, function in before.functions_items():
        name = variable.name_hint
        fault = _about(function, after[name])
        if fault is not None:
            return f"in {name!r} {fault}"
    return None


def has_less_to_do(before: Any, after: Any) -> bool:
    """Whether a pass has fused some of the pairs. False for anything but a Relax function."""
    if not isinstance(before, relax.Function):
        return False
    had = len(pairs(before))
    return had > 0 and len(pairs(after)) < had


def _about(before: Any, after: Any) -> str | None:
    wanted = len(pairs(before)) if isinstance(before, relax.Function) else 0
    if not wanted:
        same = tvm_ffi.structural_equal(before, after)
        return None if same else "there is no pair to fuse, and it was changed"
    fused = operators(after)["relax.ewise_fma"] - operators(before)["relax.ewise_fma"]
    if fused != wanted:
        return f"{fused} pairs were fused and {wanted} can be"
    terms: dict[Any, int] = {}
    if result(before, terms) != result(after, terms):
        return "it computes another expression than before"
    return _about_operators(operators(before), operators(after), wanted)


def _about_operators(had: Counter[str], has: Counter[str], fused: int) -> str | None:
    wanted = had.copy()
    wanted.subtract({"relax.multiply": fused, "relax.add": fused, "relax.ewise_fma": -fused})
    for name in wanted | has:
        if has[name] > wanted[name]:
            return f"there are {has[name]} of {name}, and {wanted[name]} are needed"
    return None


def pairs(function: relax.Function) -> list[Any]:
    """Return the variables of the sums that have a product of their own as an operand.

    The product has no other use, stays in its block, and all three operands have the same type.
    """
    values = {binding.var: binding.value for binding in bindings(function)}
    used: Counter[Any] = Counter(variables(function))
    sums = []
    for variable, value in values.items():
        if not _is(value, ADD):
            continue
        first, second = value.args
        if _free(first, second, values, used) or _free(second, first, values, used):
            sums.append(variable)
    return sums


def _free(product: Any, addend: Any, values: Any, used: Counter[Any]) -> bool:
    value = values.get(product)
    if not isinstance(product, relax.DataflowVar) or not _is(value, MULTIPLY):
        return False
    if used[product] != 1:
        return False
    types = [operand.ty for operand in (*value.args, addend)]
    return types[0].shape is not None and all(
        tvm_ffi.structural_equal(ty, types[0]) for ty in types[1:]
    )


def bindings(function: relax.Function) -> list[Any]:
    """Return all bindings of a function without branches."""
    return [binding for block in function.body.blocks for binding in block.bindings]


def variables(function: relax.Function) -> list[Any]:
    """Return the variables that the function uses, one entry for each use."""
    values = [binding.value for binding in bindings(function)]
    return [leaf for value in (*values, function.body.body) for leaf in _leaves(value)]


def _leaves(expression: Any) -> list[Any]:
    if isinstance(expression, Call):
        return [leaf for part in expression.args for leaf in _leaves(part)]
    if isinstance(expression, relax.Tuple):
        return [leaf for part in expression.fields for leaf in _leaves(part)]
    return [expression] if isinstance(expression, relax.Var) else []


def operators(function: Any) -> Counter[str]:
    """Count the distinct expressions of each operator among those the result depends on.

    Empty for anything but a Relax function.
    """
    if not isinstance(function, relax.Function):
        return Counter()
    terms: dict[Any, int] = {}
    result(function, terms, written_out=False)
    return Counter(key[0] for key in terms if key[0].startswith("relax."))


def result(function: relax.Function, terms: dict[Any, int], *, written_out: bool = True) -> int:
    """Return the number of the returned expression in `terms`, to which all its parts are added.

    written_out: whether to expand R.ewise_fma into a product and a sum.
    """
    values = {binding.var: binding.value for binding in bindings(function)}
    places = {parameter: place for place, parameter in enumerate(function.params)}
    done: dict[Any, int] = {}

    def numbered(key: Any) -> int:
        return terms.setdefault(key, len(terms))

    def applied(name: str, operands: list[int]) -> int:
        if name == "relax.ewise_fma" and written_out:
            product = applied("relax.multiply", operands[:2])
            return applied("relax.add", [product, operands[2]])
        return numbered((name, *(sorted(operands) if name in EITHER_WAY else operands)))

    def term(expression: Any) -> int:
        if isinstance(expression, relax.Var):
            if expression not in done:
                bound = values.get(expression)
                place = places.get(expression)
                done[expression] = numbered(("parameter", place)) if bound is None else term(bound)
            return done[expression]
        if isinstance(expression, Call):
            return applied(expression.op.name, [term(part) for part in expression.args])
        if isinstance(expression, relax.Tuple):
            return numbered(("tuple", *(term(part) for part in expression.fields)))
        return numbered(("constant", tvm.ir.save_json(expression)))

    return term(function.body.body)


def _is(value: Any, operator: Any) -> bool:
    return isinstance(value, Call) and value.op == operator
