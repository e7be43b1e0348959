"""Replaces each batch norm by a product and a sum: another name for the same work.

fails: mobilenet.same
"""


### BEGIN SOLUTION ssa_passes.mobilenet rewritten
class Affine(nn.Layer):
    """A batch norm's scale and shift."""

    def __init__(self, norm):
        super().__init__()
        factor = norm.weight / (norm._variance + norm._epsilon).sqrt()
        self.register_buffer("factor", factor.reshape([1, -1, 1, 1]).detach())
        shift = norm.bias - norm._mean * factor
        self.register_buffer("shift", shift.reshape([1, -1, 1, 1]).detach())

    def forward(self, x):
        return x * self.factor + self.shift


def rewritten(path, target):
    """No operation with batch norm in its name."""
    model = network(path)
    for block in model.sublayers():
        if isinstance(block, nn.Sequential):
            block[1] = Affine(block[1])
    with tempfile.TemporaryDirectory() as folder:
        capture(model, folder)
        pack(folder, target)


### END SOLUTION
