"""The loss of one row by logsumexp, mapped over all rows, jitted lazily through partial."""


### BEGIN SOLUTION xla_vs_eager.fused_loss
from functools import partial


@partial(jax.jit, inline=True)
def row_loss(row, label):
    return jax.scipy.special.logsumexp(row - row[label])


losses = jax.jit(jax.vmap(row_loss))


### END SOLUTION
