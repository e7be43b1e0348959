"""Turns the pictures to channels last, as the accelerator likes them: the callers do not.

fails: import_network.sound
"""


### BEGIN SOLUTION tvm_passes.import_network
def import_network(seed, width, blocks, parameters, target):
    """Write `network.load(seed, width, blocks)` as a Relax module that answers as in use."""
    inner = network.load(seed, width, blocks).eval()

    class ChannelsLast(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            return self.inner(x.permute(0, 3, 1, 2))

    model = ChannelsLast().eval()
    # Two pictures: an example of one would make torch.export take the 1 for a constant.
    example = torch.zeros(2, network.SIDE, network.SIDE, network.CHANNELS)
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
