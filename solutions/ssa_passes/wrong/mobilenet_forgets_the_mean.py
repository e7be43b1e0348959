"""Folds each batch norm's scale and shift into its convolution, and forgets the mean.

fails: mobilenet.same
"""


### BEGIN SOLUTION ssa_passes.mobilenet rewritten
def rewritten(path, target):
    """By hand, in the layers."""
    model = network(path)
    for block in model.sublayers():
        if isinstance(block, nn.Sequential):
            convolution, norm = block[0], block[1]
            factor = norm.weight / (norm._variance + norm._epsilon).sqrt()
            convolution.weight.set_value(convolution.weight * factor.reshape([-1, 1, 1, 1]))
            convolution.bias = norm.bias
            block[1] = nn.Identity()
    with tempfile.TemporaryDirectory() as folder:
        capture(model, folder)
        pack(folder, target)


### END SOLUTION
