"""Read a module in MLIR's text, with xDSL, as plain data."""

from itertools import count

from xdsl.context import Context
from xdsl.dialects.arith import CMPI_COMPARISON_OPERATIONS, Arith
from xdsl.dialects.builtin import Builtin, IntegerAttr
from xdsl.dialects.func import Func, FuncOp
from xdsl.dialects.scf import Scf
from xdsl.parser import Parser

DEEPEST = 50
PREDICATES = dict(enumerate(CMPI_COMPARISON_OPERATIONS))

CONTEXT = Context()
for dialect in (Arith, Builtin, Func, Scf):
    CONTEXT.load_dialect(dialect)


class Refused(Exception):
    """The module is not one that the task asks for. The message is the beginning of a sentence."""


def program(text):
    """Return the module's function f, or the reason why it has none, as the start of a sentence.

    The function is {"params": [[name, type]], "body": [operation], "attributes": the module's as
    text}; an operation is [name, operands, attribute, result, its type, regions].
    """
    try:
        module = Parser(CONTEXT, text).parse_module()
        module.verify()
    except Exception as error:  # noqa: BLE001  xDSL raises many kinds on texts that are not MLIR
        lines = [line.strip() for line in str(error).splitlines() if line.strip(" ^")]
        return f"xDSL refuses it: {lines[-1] if lines else type(error).__name__}"[:300]
    try:
        function = _function(module)
    except Refused as refused:
        return str(refused)
    attributes = {name: str(value) for name, value in module.attributes.items()}
    return {**function, "attributes": attributes}


def _function(module):
    function = None
    for op in module.body.ops:
        if not isinstance(op, FuncOp) or (op.body.blocks and op.sym_name.data != "f"):
            raise Refused("it has another function than f")
        if op.sym_name.data == "f":
            function = op
    if function is None or len(function.body.blocks) != 1:
        raise Refused("it is not one module with one function f of one block")
    names, numbers = {}, count()
    for number, argument in enumerate(function.body.block.args):
        names[argument] = f"arg{number}"
    params = [[names[argument], str(argument.type)] for argument in function.body.block.args]
    return {"params": params, "body": _operations(function.body.block, names, numbers, 0)}


def _operations(block, names, numbers, depth):
    """Return a block's operations. names: of the values before it; those in it are added."""
    if depth > DEEPEST:
        raise Refused("its regions nest too deep")
    return [_operation(op, names, numbers, depth) for op in block.ops]


def _operation(op, names, numbers, depth):
    if len(op.results) > 1 or any(len(region.blocks) > 1 for region in op.regions):
        raise Refused(f"{op.name} has two results, or two blocks in a region")
    operands = [names.get(operand) for operand in op.operands]
    if None in operands:
        raise Refused(f"{op.name} reads a value before it is there")
    # Values are numbered as MLIR and xDSL number them when they print.
    results = [str(next(numbers)) for _ in op.results]
    blocks = [list(region.blocks) for region in op.regions]
    regions = [_operations(b[0], names, numbers, depth + 1) if b else [] for b in blocks]
    names.update(zip(op.results, results, strict=True))
    types = [str(result.type) for result in op.results]
    return [op.name, operands, _attribute(op), *(results or [""]), *(types or [""]), regions]


def _attribute(op):
    """Return a constant's value, a comparison's predicate or a call's function; "" for others."""
    flags = op.properties.get("overflowFlags")
    if flags is not None and flags.data:
        raise Refused(f"{op.name} promises that nothing overflows")
    if op.name == "func.call":
        return op.callee.string_value()
    if op.name == "arith.cmpi":
        return PREDICATES.get(op.predicate.value.data, "")
    if op.name != "arith.constant" or not isinstance(op.value, IntegerAttr):
        return ""
    value = op.value.value.data
    if str(op.value.type) == "i1":
        return "true" if value else "false"
    return str((value + 2**63) % 2**64 - 2**63)
