"""Gives each consumer a product of its own, so that each can be fused: the work is done twice.

fails: partition.sound
"""


### BEGIN SOLUTION tvm_passes.partition
def partition(source, target):
    """Read a module with one dataflow block, and write it divided."""
    module = read_module(source)
    if not any("Codegen" in f.attrs for f in module.functions.values() if f.attrs):
        module = divided(unshared(module))
    write_module(module, target)


def unshared(module):
    """Each further use of a matmul becomes another matmul."""
    copier = Copier(module)
    copier.builder_.update_func(module.get_global_var("main"), copier.visit_expr(module["main"]))
    return copier.builder_.get()


@relax.expr_functor.mutator
class Copier(relax.PyExprMutator):
    """Emits a matmul again for whoever uses it second."""

    def __init__(self, module):
        super().__init__(module)
        self.seen = set()

    def visit_call_(self, call):
        call = super().visit_call_(call)
        return tvm.ir.Call(call.op, [self.own(a) for a in call.args], call.attrs, call.ty_args)

    def own(self, value):
        made = self.lookup_binding(value) if isinstance(value, relax.Var) else None
        if not isinstance(made, tvm.ir.Call) or mac16.kind_of(made) != "matmul":
            return value
        if value not in self.seen:
            self.seen.add(value)
            return value
        return self.builder_.emit(made)


### END SOLUTION
