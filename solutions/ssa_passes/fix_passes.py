"""A verifier, rewrite patterns and a lowering for the dialect `fix`: see fix_dialect.py."""

from fix_dialect import Add, Constant, FixOp, Mul, Num, Pack, Rescale, Unpack, num, read, write
from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp, ShLIOp, ShRSIOp
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    TypeConversionPattern,
    attr_type_rewrite_pattern,
    op_type_rewrite_pattern,
)
from xdsl.utils.exceptions import VerifyException

MOST = 62
"""Fractional bits of a number, at most; at least 0."""


### BEGIN SOLUTION ssa_passes.dialect verifier
### STUB def check(op):
### STUB     """Raise VerifyException if an operation of the dialect is not well-formed."""
### STUB     raise NotImplementedError("ssa_passes.dialect")
def check(op):
    """Raise VerifyException if an operation of the dialect is not well-formed."""
    types = [value.type for value in (*op.operands, *op.results)]
    fractions = [kind.fraction.data for kind in types if isinstance(kind, Num)]
    if not all(0 <= fraction <= MOST for fraction in fractions):
        raise VerifyException(f"a number has between 0 and {MOST} fractional bits")
    if isinstance(op, Constant) and op.value.type != i64:
        raise VerifyException("the value of a constant is an i64")
    if isinstance(op, Add) and len(set(fractions)) != 1:
        raise VerifyException("a sum has the fractional bits of both operands")
    if isinstance(op, Mul) and fractions[0] + fractions[1] != fractions[2]:
        raise VerifyException("a product has the fractional bits of its operands together")


### END SOLUTION

FixOp.rules = staticmethod(check)


def verify_text(text):
    """None for a module that is right, else what is wrong with it. As the judge asks."""
    try:
        read(text).verify()
    except VerifyException as error:
        return str(error)
    return None


### BEGIN SOLUTION ssa_passes.dialect patterns
### STUB def simplify(module):
### STUB     """Apply your rewrite patterns to a ModuleOp until none matches any more."""
### STUB     raise NotImplementedError("ssa_passes.dialect")
class ScaleOnce(RewritePattern):
    """Two rescales in one direction are one; one that changes nothing is none."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Rescale, rewriter: PatternRewriter):
        if op.source.type == op.result.type:
            rewriter.replace(op, [], [op.source])
            return
        inner = op.source.owner
        if isinstance(inner, Rescale) and up(inner) == up(op):
            rewriter.replace(op, Rescale(inner.source, op.result.type))


def up(op):
    return op.source.type.fraction.data < op.result.type.fraction.data


class AddNothing(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Add, rewriter: PatternRewriter):
        for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if constant_of(other) == 0:
                rewriter.replace(op, [], [kept])
                return


class MultiplyByOne(RewritePattern):
    """A one without fractional bits: any other one shifts the number."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Mul, rewriter: PatternRewriter):
        for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if constant_of(other) == 1 and other.type == num(0):
                rewriter.replace(op, [], [kept])
                return


def constant_of(value):
    return value.owner.value.value.data if isinstance(value.owner, Constant) else None


class ThereAndBack(RewritePattern):
    def match_and_rewrite(self, op, rewriter: PatternRewriter):
        if not isinstance(op, Pack | Unpack):
            return
        inner = op.source.owner
        opposite = Unpack if isinstance(op, Pack) else Pack
        # The bits of another kind of number are not that number.
        if isinstance(inner, opposite) and inner.source.type == op.result.type:
            rewriter.replace(op, [], [inner.source])


class Unused(RewritePattern):
    def match_and_rewrite(self, op, rewriter: PatternRewriter):
        if isinstance(op, FixOp) and not op.result.uses:
            rewriter.erase_op(op)


def simplify(module):
    """Apply your rewrite patterns to a ModuleOp until none matches any more."""
    patterns = [Unused(), ScaleOnce(), AddNothing(), MultiplyByOne(), ThereAndBack()]
    PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_module(module)


### END SOLUTION


def simplify_text(text):
    """As the judge asks."""
    module = read(text)
    simplify(module)
    return write(module)


### BEGIN SOLUTION ssa_passes.dialect lowering
### STUB def lower(module):
### STUB     """Convert a ModuleOp to arith on i64: no operation and no type of fix is left."""
### STUB     raise NotImplementedError("ssa_passes.dialect")
class LowerOperations(RewritePattern):
    """From the last to the first, as a shift follows from the type of what a rescale reads."""

    def match_and_rewrite(self, op, rewriter: PatternRewriter):
        match op:
            case Pack() | Unpack():
                rewriter.replace(op, [], [op.source])
            case Constant():
                rewriter.replace(op, ConstantOp(op.value))
            case Add():
                rewriter.replace(op, AddiOp(op.lhs, op.rhs, result_type=i64))
            case Mul():
                rewriter.replace(op, MuliOp(op.lhs, op.rhs, result_type=i64))
            case Rescale():
                bits = op.result.type.fraction.data - op.source.type.fraction.data
                by = ConstantOp(IntegerAttr(abs(bits), i64))
                kind = ShLIOp if bits >= 0 else ShRSIOp
                rewriter.replace(op, [by, kind(op.source, by.result, result_type=i64)])
            case _:
                pass


class LowerTypes(TypeConversionPattern):
    """What is left with a type of fix: results and arguments of operations of other dialects."""

    @attr_type_rewrite_pattern
    def convert_type(self, typ: Num):
        return i64


def lower(module):
    """Convert a ModuleOp to arith on i64: no operation and no type of fix is left."""
    PatternRewriteWalker(LowerOperations(), walk_reverse=True).rewrite_module(module)
    PatternRewriteWalker(LowerTypes()).rewrite_module(module)


### END SOLUTION


def lower_text(text):
    """As the judge asks."""
    module = read(text)
    lower(module)
    return write(module)
