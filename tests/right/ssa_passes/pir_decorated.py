"""The decorator, without names; each operation is replaced where it stands, and runs backwards."""


### BEGIN SOLUTION ssa_passes.pir capture
def captured(f):
    """The program of f(a, b, c) in PIR, which fetches what f returns."""
    number, flag = InputSpec(shape=(), dtype=paddle.int64), InputSpec(shape=(), dtype=paddle.bool)

    @paddle.jit.to_static(input_spec=[number, number, flag], full_graph=True)
    def wrapped(a, b, c):
        return f(a, b, c)

    program = wrapped.main_program
    fetch(program, wrapped.outputs[0])
    return program


### END SOLUTION
### BEGIN SOLUTION ssa_passes.pir clean
class Scope(dict):
    """Expressions of one block; what is not here is asked of the block around it."""

    def __init__(self, around=None):
        self.around = around

    def __missing__(self, key):
        if self.around is None:
            raise KeyError(key)
        return self.around[key]


class Pass:
    effects = frozenset({"pd_op.print", "pd_op.fetch", "pd_op.data", "cf.yield"})

    def __init__(self, program):
        self.program = program

    def __call__(self):
        self.deduplicate(self.program.global_block(), Scope())
        self.prune(self.program.global_block())
        return self.program

    def expression(self, op):
        arguments = [operand.source().id for operand in op.operands()]
        if op.name() in COMMUTATIVE:
            arguments = frozenset(arguments)
        else:
            arguments = tuple(arguments)
        names = sorted(set(op.get_attr_names()) - set(UNTOLD))
        attributes = op.attrs()
        return op.name(), arguments, tuple(f"{name}={attributes[name]}" for name in names)

    def deduplicate(self, block, scope):
        for op in list(block.ops):
            if op.name() in PURE:
                expression = self.expression(op)
                try:
                    op.result(0).replace_all_uses_with(scope[expression])
                except KeyError:
                    scope[expression] = op.result(0)
                else:
                    block.remove_op(op)
            else:
                for inner in op.blocks():
                    self.deduplicate(inner, Scope(scope))

    def prune(self, block):
        """Inside first; then an if is quiet when nothing but the ends of its blocks is left."""
        loud = False
        for op in list(block.ops)[::-1]:
            inside = [self.prune(inner) for inner in op.blocks()]
            lasts = op.name() in self.effects or any(inside)
            used = any(not result.use_empty() for result in op.results())
            if not lasts and not used:
                block.remove_op(op)
            loud = loud or (lasts and op.name() != "cf.yield")
        return loud


def clean(program):
    """Merge and remove, in a PIR program, what nobody can tell; the program itself."""
    return Pass(program)()


### END SOLUTION
