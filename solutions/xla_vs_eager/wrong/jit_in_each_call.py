"""Makes the jit inside of the function, with an empty cache each time.

fails: compiled_step.fast_cpu
"""


### BEGIN SOLUTION xla_vs_eager.compiled_step
def train(images, labels, state, out):
    """Train over the batches, one step each, and leave parameters and momentum in `out`.

    images: float32 [steps, batch, 8, 8, 1]. labels: float32 [steps, batch]. state, out: float32
    vectors as network.flat lays them: parameters, then momentum.
    """
    # Copies: a program may read numpy's memory in place, and the buffers are the judge's.
    parameters, momentum = network.unflat(np.array(state))
    compiled = jax.jit(lambda *arguments: network.step(*arguments))
    for pictures, right in zip(images, labels, strict=True):
        parameters, momentum, _ = compiled(
            parameters, momentum, np.array(pictures), right.astype(np.int32)
        )
    out[...] = network.flat(parameters, momentum)


### END SOLUTION
