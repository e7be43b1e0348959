"""Returns the momentum in another dtype, so that nothing can take its memory over.

fails: donate.aliased
"""

### BEGIN SOLUTION xla_vs_eager.donate
import jax
import jax.numpy as jnp
import network


def export_donated(batch, width, target):
    def step(*arguments):
        parameters, momentum, value = network.step(*arguments)
        return parameters, jax.tree.map(lambda m: m.astype(jnp.bfloat16), momentum), value

    network.export(step, network.abstract(batch, width), target, donated=(0, 1))


### END SOLUTION
