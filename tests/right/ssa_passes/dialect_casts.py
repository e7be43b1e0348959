"""A pattern for each operation; the lowering leaves casts behind, as MLIR does, and removes them."""

### BEGIN SOLUTION ssa_passes.dialect lowering
from xdsl.dialects.builtin import UnrealizedConversionCastOp


def as_bits(value):
    """A cast of a number to the i64 that it is."""
    return UnrealizedConversionCastOp(operands=[[value]], result_types=[[i64]])


class ToArith(RewritePattern):
    def match_and_rewrite(self, op, rewriter: PatternRewriter):
        if not isinstance(op, FixOp):
            return
        numbers = [value for value in op.operands if isinstance(value.type, Num)]
        casts = [as_bits(value) for value in numbers]
        bits = [cast.results[0] for cast in casts]
        if isinstance(op, Unpack):
            rewriter.replace(op, casts, bits)
            return
        if isinstance(op, Pack):
            new, result = [], op.source
        elif isinstance(op, Constant):
            new = [ConstantOp(op.value)]
            result = new[0].result
        elif isinstance(op, Rescale):
            by = op.result.type.fraction.data - op.source.type.fraction.data
            amount = ConstantOp(IntegerAttr(by if by > 0 else -by, i64))
            kind = ShLIOp if by > 0 else ShRSIOp
            new = [amount, kind(bits[0], amount.result, result_type=i64)]
            result = new[1].result
        else:
            kind = AddiOp if isinstance(op, Add) else MuliOp
            new = [kind(*bits, result_type=i64)]
            result = new[0].result
        back = UnrealizedConversionCastOp(operands=[[result]], result_types=[[op.result.type]])
        rewriter.replace(op, [*casts, *new, back], list(back.results))


class WithoutCasts(RewritePattern):
    def match_and_rewrite(self, op, rewriter: PatternRewriter):
        if isinstance(op, UnrealizedConversionCastOp):
            rewriter.replace(op, [], list(op.inputs))


class ToI64(TypeConversionPattern):
    @attr_type_rewrite_pattern
    def convert_type(self, typ: Num):
        return i64


def lower(module):
    for pattern in (ToArith(), ToI64(), WithoutCasts()):
        PatternRewriteWalker(pattern).rewrite_module(module)


### END SOLUTION
