"""lax.cond decides whether the batch counts; the norm by jnp.linalg over one flat vector."""


### BEGIN SOLUTION xla_vs_eager.host_transfer
import jax
import jax.numpy as jnp
import network
import slow_training
from jax.flatten_util import ravel_pytree


def per_picture(picture):
    centered = picture - picture.mean()
    return centered / (jnp.sqrt((centered**2).mean()) + slow_training.SPREAD)


def step(parameters, momentum, images, labels, rate):
    pictures = jax.vmap(per_picture)(images)
    value, gradients = jax.value_and_grad(network.loss)(parameters, pictures, labels)

    def counts(operands):
        parameters, momentum, rate = operands
        vector, unravel = ravel_pytree(gradients)
        norm = jnp.linalg.norm(vector)
        clipped = unravel(vector * jnp.where(norm > slow_training.LIMIT, slow_training.LIMIT / norm, 1))
        rate = jax.lax.select(value > slow_training.PATIENCE, rate / 2, rate)
        momentum = {k: network.MOMENTUM * momentum[k] + clipped[k] for k in momentum}
        return {k: p - rate * momentum[k] for k, p in parameters.items()}, momentum, rate

    state = jax.lax.cond(jnp.isfinite(value), counts, lambda same: same, (parameters, momentum, rate))
    return (*state, value)


def export_step(batch, target):
    network.export(step, [*network.abstract(batch), jax.ShapeDtypeStruct([], "float32")], target)


### END SOLUTION
