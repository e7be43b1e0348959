"""Common subexpressions and dead code in xDSL, where an operation can hold regions.

A program: one function of i64 and i1, with arith, scf.if, and calls of @print. What can be seen is
what is printed, in order, and what is returned.
"""

from io import StringIO

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.dialects.scf import Scf
from xdsl.parser import Parser
from xdsl.printer import Printer

COMMUTATIVE = ("arith.addi", "arith.muli", "arith.andi", "arith.ori", "arith.xori")
PURE = (*COMMUTATIVE, "arith.subi", "arith.constant", "arith.cmpi", "arith.select")


def read(text):
    """A ModuleOp."""
    context = Context()
    for dialect in (Arith, Builtin, Func, Scf):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


def write(module):
    """Its text, in the generic form that every tool for MLIR reads."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


### TASK ssa_passes.xdsl
def clean(module):
    """Merge common subexpressions and remove dead code in a ModuleOp; return it."""
    raise NotImplementedError("ssa_passes.xdsl")


def clean_text(text):
    """As the judge asks."""
    return write(clean(read(text)))
