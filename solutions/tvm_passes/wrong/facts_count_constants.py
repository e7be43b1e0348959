"""Counts the constants, and not the numbers that are in them.

fails: import_network.facts
"""


### BEGIN SOLUTION tvm_passes.import_network facts
def facts(source):
    """What a module's "main" is made of."""
    main = read_module(source)["main"]
    operators, callees, inside = Counter(), Counter(), []

    def visit(node):
        if isinstance(node, tvm.ir.GenericConst):
            inside.append(1)
        if isinstance(node, tvm.ir.Call) and isinstance(node.op, tvm.ir.Op):
            operators[node.op.name] += 1
            if node.op.name == "relax.call_tir":
                callees[node.args[0].name_hint] += 1

    relax.analysis.post_order_visit(main, visit)
    shapes = [parameter.ty.shape.values for parameter in main.params]
    asked = [shape for shape in shapes if all(isinstance(n, tvm.tirx.IntImm) for n in shape)]
    return {
        "operators": dict(operators),
        "inside": sum(inside),
        "asked": sum(prod(int(n) for n in shape) for shape in asked),
        "shared": sum(count > 1 for count in callees.values()),
    }


### END SOLUTION
