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


### BEGIN SOLUTION ssa_passes.xdsl
### STUB def clean(module):
### STUB     """Merge common subexpressions and remove dead code in a ModuleOp; return it."""
### STUB     raise NotImplementedError("ssa_passes.xdsl")


def clean(module):
    """Merge common subexpressions and remove dead code in a ModuleOp; return it."""
    for function in module.ops:
        for block in blocks(function):
            merge(block, {})
            sweep(block)
    return module


def blocks(op):
    """Those that lie directly in it."""
    return [block for region in op.regions for block in region.blocks]


def merge(block, above):
    """What is known here is known in the regions inside, and not behind them."""
    seen = dict(above)
    for op in list(block.ops):
        if op.name in PURE:
            operands = tuple(op.operands)
            key = (
                op.name,
                frozenset(operands) if op.name in COMMUTATIVE else operands,
                frozenset(op.properties.items()),
                op.results[0].type,
            )
            if key in seen:
                op.results[0].replace_all_uses_with(seen[key])
                op.detach()
                op.erase()
                continue
            seen[key] = op.results[0]
        for inner in blocks(op):
            merge(inner, seen)


def sweep(block):
    """From the last to the first, so that readers go before what they read."""
    for op in reversed(list(block.ops)):
        quiet = op.name in PURE or (op.name == "scf.if" and not has_effect(op))
        if quiet and not any(result.uses for result in op.results):
            op.detach()
            op.erase()
            continue
        for inner in blocks(op):
            sweep(inner)


def has_effect(op):
    """Itself, or anything inside of it."""
    return op.name == "func.call" or any(has_effect(o) for b in blocks(op) for o in b.ops)


### END SOLUTION


def clean_text(text):
    """As the judge asks."""
    return write(clean(read(text)))
