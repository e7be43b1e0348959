"""Asks for the parameters, and leaves their values at the function: the file holds both.

fails: import_network.sound
"""


### BEGIN SOLUTION tvm_passes.import_network
def import_network(seed, width, blocks, parameters, target):
    """Write `network.load(seed, width, blocks)` as a Relax module that answers as in use."""
    model = network.load(seed, width, blocks).eval()
    # Two pictures: an example of one would make torch.export take the 1 for a constant.
    example = torch.zeros(2, network.CHANNELS, network.SIDE, network.SIDE)
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(model, (example,), dynamic_shapes=({0: batch},))
    module = from_exported_program(
        program,
        keep_params_as_input=parameters == "inputs",
        unwrap_unit_return_tuple=True,
    )
    write_module(module, target)


def lower(source, target):
    """Read a Relax module, and write it with each operator as a call_tir of a PrimFunc."""
    module = read_module(source)
    write_module(relax.transform.LegalizeOps()(module), target)


def facts(source):
    """What a module's "main" is made of."""
    main = read_module(source)["main"]
    operators, callees, inside = Counter(), Counter(), []

    def visit(node):
        if isinstance(node, tvm.ir.GenericConst):
            inside.append(prod(node.value.shape))
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
