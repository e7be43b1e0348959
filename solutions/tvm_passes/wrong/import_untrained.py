"""Exports a network of the right shape whose weights were never loaded.

fails: import_network.correct
"""


### BEGIN SOLUTION tvm_passes.import_network
def import_network(seed, width, blocks, parameters, target):
    """Write `network.load(seed, width, blocks)` as a Relax module that answers as in use."""
    torch.manual_seed(seed)
    model = network.SmallNetwork(width, blocks).eval()
    # Two pictures: an example of one would make torch.export take the 1 for a constant.
    example = torch.zeros(2, network.CHANNELS, network.SIDE, network.SIDE)
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(model, (example,), dynamic_shapes=({0: batch},))
    module = from_exported_program(
        program,
        keep_params_as_input=parameters == "inputs",
        unwrap_unit_return_tuple=True,
    )
    # The importer leaves the values at the function, as an attribute.
    module, _values = detach_params(module)
    write_module(module, target)


### END SOLUTION
