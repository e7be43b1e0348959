"""Numbers for values; then everything is marked that an effect needs, and the rest is erased."""


### BEGIN SOLUTION ssa_passes.mlir
from collections import ChainMap


class Cleaner:
    def __init__(self):
        self.number_of = {}
        self.representative = {}

    def run(self, function):
        self.number(function.regions, ChainMap())
        needed = self.needed(function)
        for operation in reversed(list(inside(function))):
            if operation not in needed:
                operation.erase()

    def number(self, regions, scope):
        for region in regions:
            for block in region:
                local = scope.new_child()
                for argument in block.arguments:
                    self.fresh(argument)
                for view in block:
                    self.visit(view.operation, local)

    def fresh(self, value):
        self.number_of[value] = len(self.number_of)

    def visit(self, operation, scope):
        for place, operand in enumerate(operation.operands):
            operation.operands[place] = self.representative.get(operand, operand)
        if operation.name not in PURE:
            for result in operation.results:
                self.fresh(result)
            self.number(operation.regions, scope)
            return
        numbers = [self.number_of[operand] for operand in operation.operands]
        if operation.name in COMMUTATIVE:
            numbers.sort()
        told = {named: str(operation.attributes[named]) for named in operation.attributes}
        key = f"{operation.name} {numbers} {sorted(told.items())} {operation.results[0].type}"
        if key in scope:
            self.representative[operation.results[0]] = scope[key]
        else:
            self.fresh(operation.results[0])
            scope[key] = operation.results[0]

    def needed(self, function):
        waiting = [op for op in inside(function) if op.name in ("func.call", "func.return")]
        marked = set()
        while waiting:
            operation = waiting.pop()
            if operation in marked or operation.name == "func.func":
                continue
            marked.add(operation)
            waiting.append(operation.parent.operation)
            waiting += [
                value.owner.operation
                for value in operation.operands
                if not isinstance(value.owner, ir.Block)
            ]
            # An if that stays needs the ends of its regions, and what they give.
            for region in operation.regions:
                waiting.append(region.blocks[0].operations[-1].operation)
        return marked


def inside(operation):
    for region in operation.regions:
        for block in region:
            for view in block:
                yield view.operation
                yield from inside(view.operation)


def clean(module):
    """Merge and remove, in a Module, what nobody can tell; the module itself."""
    for function in module.body:
        Cleaner().run(function.operation)
    return module


### END SOLUTION
