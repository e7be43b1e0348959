"""Strength reduction on TIR, right and wrong in four ways, and what finds each of the four."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import tvm
import tvm_ffi
from tvm import ir, tirx
from tvm.tirx import op

SIZE, LINES, RUNS = 64, 10, 6
Rule = Callable[[ir.Expr], ir.Expr]


def power(expr: ir.Expr) -> int | None:
    """The k of a constant 2 to the k."""
    if not isinstance(expr, tirx.IntImm):
        return None
    value = int(expr)
    return value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None


# --8<-- [start:rules]
def right(e: ir.Expr) -> ir.Expr:
    """floordiv(x, 2^k) to x >> k: both round down."""
    if isinstance(e, tirx.FloorDiv) and (k := power(e.b)) is not None:
        return e.a >> k
    return e


def rounds_wrong(e: ir.Expr) -> ir.Expr:
    """Rounding: truncdiv goes towards zero, >> down: equal for everything but negative numbers."""
    if isinstance(e, tirx.Div) and (k := power(e.b)) is not None:
        return e.a >> k
    return e


def never_done(e: ir.Expr) -> ir.Expr:
    """From x + y to y + x: right, and there is always one more to do."""
    return e.b + e.a if isinstance(e, tirx.Add) else e


def grows(e: ir.Expr) -> ir.Expr:
    """From x * 2 to x * 1 * 2: right, and each run adds an operation."""
    if isinstance(e, tirx.Mul) and power(e.b) == 1:
        return tirx.Mul(tirx.Mul(e.a, tirx.IntImm("int32", 1)), e.b)
    return e


def narrows(e: ir.Expr) -> ir.Expr:
    """max(x, y) in 8 bits: right for small numbers."""
    if isinstance(e, tirx.Max) and e.ty == ir.PrimType("int32"):
        return tirx.Max(e.a.astype("int8"), e.b.astype("int8")).astype("int32")
    return e
    # --8<-- [end:rules]


def apply(rule: Rule, module: tvm.IRModule) -> tvm.IRModule:
    """The rule on every expression of the body, once, inner ones first."""

    @tirx.transform.prim_func_pass(opt_level=0)
    def run(function: tirx.PrimFunc, _: tvm.IRModule, __: object) -> tirx.PrimFunc:
        return function.with_body(tvm_ffi.structural_map(function.body, rule))

    return run(module)


# --8<-- [start:generator]
def expression(rng: random.Random, x: ir.Expr, depth: int) -> ir.Expr:
    """A random tree over x; it divides by powers of two only, and stays within int32."""
    if depth == 0:
        return rng.choice([x, tirx.IntImm("int32", rng.randint(-9, 9))])
    one = expression(rng, x, depth - 1)
    match rng.randrange(6):
        case 0:
            return op.floordiv(one, tirx.IntImm("int32", 2 ** rng.randint(1, 4)))
        case 1:
            return op.truncdiv(one, tirx.IntImm("int32", 2 ** rng.randint(1, 4)))
        case 2:
            return one * tirx.IntImm("int32", 2)
        case 3:
            return tirx.Max(one, expression(rng, x, depth - 1))
        case 4:
            return one - expression(rng, x, depth - 1)
        case _:
            return one + expression(rng, x, depth - 1)
            # --8<-- [end:generator]


def program(seed: int) -> tvm.IRModule:
    """b[line, i] = a random expression of a[i], for LINES lines."""
    rng = random.Random(seed)
    a = tvm.te.placeholder((SIZE,), "int32", "a")
    lines = [
        tvm.te.compute((SIZE,), lambda i: expression(rng, a[i], rng.randint(1, 4)), f"line{n}")
        for n in range(LINES)
    ]
    return tvm.IRModule({"main": tvm.te.create_prim_func([a, *lines])})


def outputs(module: tvm.IRModule, a: np.ndarray) -> np.ndarray:
    """All lines."""
    lines = [tvm.runtime.empty((SIZE,), "int32") for _ in range(LINES)]
    tvm.compile(module, target="llvm")(tvm.runtime.tensor(a), *lines)
    return np.stack([line.numpy() for line in lines])


def findings(rule: Rule, seeds: range) -> set[str]:
    """What the comparison finds on these programs."""
    found: set[str] = set()
    numbers = np.random.default_rng(1).integers(-1000, 1000, SIZE).astype("int32")
    for seed in seeds:
        before = program(seed)
        after = apply(rule, before)
        again = apply(rule, after)
        if not tvm.s_tir.analysis.verify_well_formed(after, assert_mode=False):
            found.add("not well-formed")
        if not tvm_ffi.structural_equal(again, after):
            found.add("not idempotent")
        if not settles(rule, after):
            found.add("no fixed point")
        if not np.array_equal(outputs(before, numbers), outputs(after, numbers)):
            found.add("other numbers")
    return found


def settles(rule: Rule, module: tvm.IRModule) -> bool:
    """Whether running it again and again comes to an end."""
    for _ in range(RUNS):
        after = apply(rule, module)
        if tvm_ffi.structural_equal(after, module):
            return True
        module = after
    return False


def examples_are_not_enough() -> None:
    """Two hand-written numbers, as in many a unit test."""
    x = np.array([8, 12], "int32")
    assert np.array_equal(x >> 2, np.trunc(x / 4).astype("int32"))
    negative = np.array([-7], "int32")
    print(f"truncdiv(-7, 4) is {int(np.trunc(-7 / 4))}, -7 >> 2 is {int((negative >> 2)[0])}")


def proved() -> None:
    """All numbers of 16 bits and all shifts; and what TVM's analyzer can show by itself."""
    x = np.arange(-(2**15), 2**15, dtype=np.int32)
    assert all(np.array_equal(np.floor_divide(x, 2**k), x >> k) for k in range(15))
    print(f"floordiv against >>: equal for all {x.size:,} numbers of 16 bits and 15 shifts")
    analyzer, v = tvm.sym.Analyzer(), tirx.Var("v", "int32")
    assert analyzer.can_prove_equal(op.floordiv(v * 4 + 3, 4), v)
    assert not analyzer.can_prove_equal(op.floordiv(v, 4), v >> 2)
    print("Analyzer: proves floordiv(4v + 3, 4) = v; finds no proof of floordiv(v, 4) = v >> 2")


def main() -> None:
    """Print what was found for each rule."""
    examples_are_not_enough()
    seeds = range(2)
    for rule in (right, rounds_wrong, never_done, grows, narrows):
        found = findings(rule, seeds)
        print(f"{rule.__name__:13} {', '.join(sorted(found)) or 'nothing found'}")
        expected: dict[Rule, set[str]] = {
            right: set(),
            rounds_wrong: {"other numbers"},
            never_done: {"not idempotent", "no fixed point"},
            grows: {"not idempotent", "no fixed point"},
            narrows: {"other numbers"},
        }
        assert found == expected[rule], found
    proved()
    for share in (0.1, 0.01, 0.001):
        needed = math.ceil(math.log(0.05) / math.log(1 - share))
        print(
            f"a mistake that shows in {share:.1%} of the programs: {needed:,} to see it with 95 %"
        )
    assert math.ceil(math.log(0.05) / math.log(0.99)) == 299


if __name__ == "__main__":
    main()
