"""Imported with its parameters as inputs, which are bound as constants where asked; facts by a visitor."""


### BEGIN SOLUTION tvm_passes.import_network
def import_network(seed, width, blocks, parameters, target):
    trained = network.load(seed, width, blocks)
    trained.eval()
    example = torch.rand(3, 3, 16, 16)
    with torch.no_grad():
        program = torch.export.export(
            trained, (example,), dynamic_shapes=[{0: torch.export.Dim("n", min=1, max=4096)}]
        )
    module = from_exported_program(
        program, keep_params_as_input=True, unwrap_unit_return_tuple=True
    )
    module, values = detach_params(module)
    if parameters == "inside":
        names = [parameter.name for parameter in module["main"].params[1:]]
        bound = dict(zip(names, values["main"], strict=True))
        module = relax.transform.BindParams("main", bound)(module)
    write_module(module, target)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.import_network lower
def lower(source, target):
    passes = tvm.transform.Sequential(
        [relax.transform.Normalize(), relax.transform.LegalizeOps(enable_warning=False)]
    )
    with tvm.transform.PassContext(opt_level=3):
        write_module(passes(read_module(source)), target)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.import_network facts
import math

from tvm.relax.expr_functor import PyExprVisitor, visitor


@visitor
class Statistics(PyExprVisitor):
    def __init__(self):
        super().__init__()
        self.operators, self.called, self.inside = {}, {}, 0

    def visit_generic_const_(self, constant):
        self.inside += math.prod(map(int, constant.value.shape))

    def visit_call_(self, call):
        name = getattr(call.op, "name", None)
        if isinstance(call.op, tvm.ir.Op):
            self.operators[name] = self.operators.get(name, 0) + 1
        if name == "relax.call_tir":
            callee = call.args[0].name_hint
            self.called[callee] = self.called.get(callee, 0) + 1
        for argument in call.args:
            self.visit_expr(argument)


def facts(source):
    main = read_module(source)["main"]
    statistics = Statistics()
    statistics.visit_expr(main)
    asked = 0
    for parameter in main.params:
        numbers = 1
        for extent in parameter.ty.shape.values:
            numbers *= int(extent) if isinstance(extent, tvm.tirx.IntImm) else 0
        asked += numbers
    return {
        "operators": statistics.operators,
        "inside": statistics.inside,
        "asked": asked,
        "shared": len([name for name, count in statistics.called.items() if count >= 2]),
    }


### END SOLUTION
