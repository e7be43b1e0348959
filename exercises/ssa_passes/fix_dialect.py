"""The dialect `fix` of fixed-point numbers, in xDSL: its type and its operations. Given.

A `!fix.num<f>` is an i64 with f fractional bits: the number n stands for n / 2^f. All arithmetic is
that of i64, and wraps around.

| operation | operands | result |
| --- | --- | --- |
| fix.constant | none; `value`, an i64 | those bits, as a number |
| fix.pack | an i64 | the same bits, as a number |
| fix.unpack | a number | its bits, as an i64 |
| fix.add | two numbers | their sum |
| fix.mul | two numbers | their product: the bits are multiplied, the fractions add up |
| fix.rescale | a number of f bits | one of g: shifted left by g - f, or right by f - g, down |
"""

from abc import ABC
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, IntAttr, IntegerAttr, i64
from xdsl.dialects.func import Func
from xdsl.dialects.scf import Scf
from xdsl.ir import Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure


@irdl_attr_definition
class Num(ParametrizedAttribute, TypeAttribute):
    """Written `!fix.num<8>`."""

    name = "fix.num"
    fraction: IntAttr

    @classmethod
    def parse_parameters(cls, parser):
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False))]

    def print_parameters(self, printer):
        with printer.in_angle_brackets():
            printer.print_string(str(self.fraction.data))


def num(fraction):
    return Num(IntAttr(fraction))


class FixOp(IRDLOperation, ABC):
    """An operation of the dialect. rules: what `verify` asks of it beside its types."""

    rules = staticmethod(lambda op: None)
    traits = traits_def(Pure())

    def verify_(self):
        FixOp.rules(self)


@irdl_op_definition
class Constant(FixOp):
    name = "fix.constant"
    value = prop_def(IntegerAttr)
    result = result_def(Num)

    def __init__(self, value, kind):
        super().__init__(properties={"value": value}, result_types=[kind])


@irdl_op_definition
class Pack(FixOp):
    name = "fix.pack"
    source = operand_def(i64)
    result = result_def(Num)

    def __init__(self, source, kind):
        super().__init__(operands=[source], result_types=[kind])


@irdl_op_definition
class Unpack(FixOp):
    name = "fix.unpack"
    source = operand_def(Num)
    result = result_def(i64)

    def __init__(self, source):
        super().__init__(operands=[source], result_types=[i64])


@irdl_op_definition
class Add(FixOp):
    name = "fix.add"
    lhs = operand_def(Num)
    rhs = operand_def(Num)
    result = result_def(Num)

    def __init__(self, lhs, rhs, kind):
        super().__init__(operands=[lhs, rhs], result_types=[kind])


@irdl_op_definition
class Mul(FixOp):
    name = "fix.mul"
    lhs = operand_def(Num)
    rhs = operand_def(Num)
    result = result_def(Num)

    def __init__(self, lhs, rhs, kind):
        super().__init__(operands=[lhs, rhs], result_types=[kind])


@irdl_op_definition
class Rescale(FixOp):
    name = "fix.rescale"
    source = operand_def(Num)
    result = result_def(Num)

    def __init__(self, source, kind):
        super().__init__(operands=[source], result_types=[kind])


Fix = Dialect("fix", [Constant, Pack, Unpack, Add, Mul, Rescale], [Num])


def read(text):
    """A ModuleOp, not yet verified."""
    context = Context()
    for dialect in (Arith, Builtin, Func, Scf, Fix):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


def write(module):
    """Its text, in the generic form that every tool for MLIR reads."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()
