"""Asks for the parameters, then binds zeros in their place.

fails: import_network.correct
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
        keep_params_as_input=True,
        unwrap_unit_return_tuple=True,
    )
    # The importer leaves the values at the function, as an attribute.
    module, values = detach_params(module)
    if parameters == "inside":
        names = module["main"].params[1:]
        zeros = [torch.zeros(tuple(value.shape)).numpy() for value in values["main"]]
        module = relax.transform.BindParams("main", dict(zip(names, zeros, strict=True)))(module)
    write_module(module, target)


### END SOLUTION
