"""log_softmax of jax.nn and a one-hot product."""


### BEGIN SOLUTION xla_vs_eager.fused_loss
@jax.jit
def losses(scores, labels):
    chosen = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 1) == labels[:, None]
    return -jnp.sum(jax.nn.log_softmax(scores, axis=-1), axis=-1, where=chosen, initial=0)


### END SOLUTION
