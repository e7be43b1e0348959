"""MLIR's own cse, again and again, on a module whose commutative operations have sorted operands."""


### BEGIN SOLUTION ssa_passes.mlir
import itertools

from jaxlib.mlir.passmanager import PassManager


def sort_operands(module):
    order = {}

    def visit(operation):
        operation = operation.operation
        values = list(operation.operands)
        if operation.name in COMMUTATIVE and order[values[0]] > order[values[1]]:
            operation.operands[0], operation.operands[1] = values[1], values[0]
        blocks = [block for region in operation.regions for block in region.blocks]
        arguments = itertools.chain.from_iterable(block.arguments for block in blocks)
        for value in itertools.chain(operation.results, arguments):
            order.setdefault(value, len(order))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)


def clean(module):
    """Merge and remove, in a Module, what nobody can tell; the module itself."""
    before = None
    with module.context:
        manager = PassManager.parse("builtin.module(cse)")
        while before != (before := str(module)):
            sort_operands(module)
            manager.run(module.operation)
    return module


### END SOLUTION
