"""Exported with a batch of four and automatic dimensions; facts by walking through bindings."""


### BEGIN SOLUTION tvm_passes.import_network
def import_network(seed, width, blocks, parameters, target):
    torch.manual_seed(0)
    images = torch.randn(4, 3, 16, 16)
    with torch.no_grad():
        program = torch.export.export(
            network.load(seed, width, blocks).train(False),
            (images,),
            dynamic_shapes=[{0: torch.export.Dim("n", min=1, max=1 << 20)}],
        )
        module = from_exported_program(
            program, keep_params_as_input=parameters == "inputs", unwrap_unit_return_tuple=True
        )
    if parameters == "inputs":
        module["main"] = module["main"].without_attr("params")
    write_module(relax.transform.DeadCodeElimination()(module), target)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.import_network lower
def lower(source, target):
    passes = tvm.transform.Sequential(
        [relax.transform.LegalizeOps(), relax.transform.AnnotateTIROpPattern()]
    )
    with tvm.target.Target("llvm"):
        write_module(passes(read_module(source)), target)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.import_network facts
def facts(source):
    module = read_module(source)
    main = module["main"]
    operators, called, constants = Counter(), Counter(), {}
    for block in main.body.blocks:
        for binding in block.bindings:
            call = binding.value
            if not isinstance(call, tvm.ir.Call):
                continue
            operators[call.op.name] += 1
            pending = list(call.args)
            if call.op.name == "relax.call_tir":
                called[call.args[0].name_hint] += 1
            for argument in pending:
                if isinstance(argument, tvm.ir.Tuple):
                    pending += list(argument.fields)
                if isinstance(argument, tvm.ir.GenericConst):
                    constants[len(constants)] = prod(argument.value.shape)
    static = [
        [int(n) for n in p.ty.shape.values]
        for p in main.params
        if not any(isinstance(n, tvm.tirx.Var) for n in p.ty.shape.values)
    ]
    return dict(
        operators=operators,
        inside=sum(constants.values()),
        asked=sum(map(prod, static)),
        shared=len([name for name in called if called[name] > 1]),
    )


### END SOLUTION
