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


### END SOLUTION
