"""Common subexpressions and dead code through MLIR's own Python bindings, as jaxlib brings them.

The programs are those of `xdsl_pass.py`; here the graph is MLIR's, in C++, and what you hold in
Python are handles to it.
"""

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext

COMMUTATIVE = ("arith.addi", "arith.muli", "arith.andi", "arith.ori", "arith.xori")
PURE = (*COMMUTATIVE, "arith.subi", "arith.constant", "arith.cmpi", "arith.select")


def read(text):
    """A Module; MLIR has verified it."""
    registry, context = ir.DialectRegistry(), ir.Context()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    return ir.Module.parse(text, context)


def write(module):
    """Its text, in the generic form that every tool for MLIR reads."""
    module.operation.verify()
    return module.operation.get_asm(print_generic_op_form=True)


### BEGIN SOLUTION ssa_passes.mlir
### STUB def clean(module):
### STUB     """Merge common subexpressions and remove dead code in a Module; return it."""
### STUB     raise NotImplementedError("ssa_passes.mlir")


def clean(module):
    """Merge common subexpressions and remove dead code in a Module; return it."""
    for function in module.body.operations:
        for block in blocks(function.operation):
            merge(block, {})
            sweep(block)
    return module


def blocks(op):
    """Those that lie directly in it."""
    return [block for region in op.regions for block in region.blocks]


def merge(block, above):
    """What is known here is known in the regions inside, and not behind them."""
    seen = dict(above)
    for view in list(block.operations):
        op = view.operation
        if op.name in PURE:
            operands = tuple(op.operands)
            key = (
                op.name,
                frozenset(operands) if op.name in COMMUTATIVE else operands,
                frozenset(op.attributes.items()),
                op.results[0].type,
            )
            if key in seen:
                op.results[0].replace_all_uses_with(seen[key])
                op.erase()
                continue
            seen[key] = op.results[0]
        for inner in blocks(op):
            merge(inner, seen)


def sweep(block):
    """From the last to the first, so that readers go before what they read."""
    for view in reversed(list(block.operations)):
        op = view.operation
        quiet = op.name in PURE or (op.name == "scf.if" and not has_effect(op))
        if quiet and not any(list(result.uses) for result in op.results):
            op.erase()
            continue
        for inner in blocks(op):
            sweep(inner)


def has_effect(op):
    """Itself, or anything inside of it."""
    inside = [view.operation for block in blocks(op) for view in block.operations]
    return op.name == "func.call" or any(has_effect(each) for each in inside)


### END SOLUTION


def clean_text(text):
    """As the judge asks."""
    return write(clean(read(text)))
