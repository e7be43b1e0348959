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


### TASK ssa_passes.mlir
def clean(module):
    """Merge common subexpressions and remove dead code in a Module; return it."""
    raise NotImplementedError("ssa_passes.mlir")


def clean_text(text):
    """As the judge asks."""
    return write(clean(read(text)))
