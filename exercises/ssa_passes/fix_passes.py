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


### TASK ssa_passes.dialect verifier
def check(op):
    """Raise VerifyException if an operation of the dialect is not well-formed."""
    raise NotImplementedError("ssa_passes.dialect")

FixOp.rules = staticmethod(check)


def verify_text(text):
    """None for a module that is right, else what is wrong with it. As the judge asks."""
    try:
        read(text).verify()
    except VerifyException as error:
        return str(error)
    return None


### TASK ssa_passes.dialect patterns
def simplify(module):
    """Apply your rewrite patterns to a ModuleOp until none matches any more."""
    raise NotImplementedError("ssa_passes.dialect")


def simplify_text(text):
    """As the judge asks."""
    module = read(text)
    simplify(module)
    return write(module)


### TASK ssa_passes.dialect lowering
def lower(module):
    """Convert a ModuleOp to arith on i64: no operation and no type of fix is left."""
    raise NotImplementedError("ssa_passes.dialect")


def lower_text(text):
    """As the judge asks."""
    module = read(text)
    lower(module)
    return write(module)
