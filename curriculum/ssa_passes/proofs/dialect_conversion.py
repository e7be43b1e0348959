"""Which rescales are one, and why a conversion that changes types needs an order or casts."""

from __future__ import annotations

from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.arith import Arith, ConstantOp, ShLIOp
from xdsl.dialects.builtin import Builtin, IntegerAttr, IntegerType, i64
from xdsl.dialects.test import Test, TestOp
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

BITS = 64
WIDER = """
%a = "test.op"() : () -> i8
%b = "test.op"(%a) : (i8) -> i16
%c = "test.op"(%b) : (i16) -> i24
"""
"""Each operation shifts by the difference of its types, as fix.rescale does."""


def wrap(value: int) -> int:
    """The value as 64 bits with a sign."""
    return (value + 2**63) % 2**BITS - 2**63


def shifted(value: int, by: int) -> int:
    """Shifted left, or for a negative `by` right."""
    return wrap(value << by) if by >= 0 else value >> -by


def always_one(first: int, second: int) -> bool:
    """Whether two shifts are one by the sum, for bits that overflow or fall off as well."""
    values = (1, -1, 7, 2**55 + 3, 2**62, -(2**63))
    return all(shifted(shifted(v, first), second) == shifted(v, first + second) for v in values)


class Shift(RewritePattern):
    """An operation with an operand becomes a shift on i64."""

    def match_and_rewrite(self, op: Any, rewriter: PatternRewriter) -> None:
        """Take the shift from the two types."""
        if isinstance(op, TestOp) and op.operands:
            source, result = (cast("IntegerType", v.type) for v in (op.operands[0], op.results[0]))
            by = ConstantOp(IntegerAttr(result.width.data - source.width.data, i64))
            rewriter.replace(op, [by, ShLIOp(op.operands[0], by.result, result_type=i64)])


def shifts(*, users_first: bool) -> list[int]:
    """The shifts that a conversion finds."""
    context = Context()
    for dialect in (Arith, Builtin, Test):
        context.load_dialect(dialect)
    module = Parser(context, WIDER).parse_module()
    PatternRewriteWalker(Shift(), walk_reverse=users_first).rewrite_module(module)
    constants = [op for op in module.ops if isinstance(op, ConstantOp)]
    return [cast("IntegerAttr[Any]", op.value).value.data for op in constants]


def main() -> None:
    """Try the four pairs of directions, and the two orders."""
    for name, pair in {"up, up": (4, 3), "down, down": (-4, -3)}.items():
        print(f"{name:10} one shift: {always_one(*pair)}")
        assert always_one(*pair)
    for name, pair in {"up, down": (8, -3), "down, up": (-8, 3)}.items():
        print(f"{name:10} one shift: {always_one(*pair)}")
        assert not always_one(*pair)
    in_order, users_first = shifts(users_first=False), shifts(users_first=True)
    print(f"shifts from i8 to i16 to i24, in the program's order: {in_order}")
    print(f"the same, users first: {users_first}")
    assert users_first == [8, 8]
    assert in_order != [8, 8]


if __name__ == "__main__":
    main()
