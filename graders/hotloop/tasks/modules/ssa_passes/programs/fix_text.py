"""Read a module with operations of the dialect `fix`, with xDSL, as `mlir_text` reads others."""

import mlir_text
from fix_dialect import Add, Constant, Fix, FixOp, Mul, Num
from xdsl.dialects.builtin import i64
from xdsl.utils.exceptions import VerifyException

MOST = 62


def check(op):
    """Raise VerifyException unless the types of an operation fit together."""
    bits = [v.type.fraction.data for v in (*op.operands, *op.results) if isinstance(v.type, Num)]
    right = all(0 <= each <= MOST for each in bits)
    if isinstance(op, Constant):
        right = right and op.value.type == i64
    elif isinstance(op, Add):
        right = right and bits[0] == bits[1] == bits[2]
    elif isinstance(op, Mul):
        right = right and bits[0] + bits[1] == bits[2]
    if not right:
        raise VerifyException(f"the types of a {op.name} do not fit together")


def attribute(op):
    """Return what `mlir_text` returns, and the bits of a constant of the dialect."""
    if isinstance(op, Constant):
        return str((op.value.value.data + 2**63) % 2**64 - 2**63)
    return of_other_dialects(op)


of_other_dialects = mlir_text._attribute
mlir_text._attribute = attribute
mlir_text.CONTEXT.load_dialect(Fix)
FixOp.rules = staticmethod(check)

program = mlir_text.program
