"""The step of slow_training.py as one program that never asks the host."""

### BEGIN SOLUTION xla_vs_eager.host_transfer
### STUB def export_step(batch, target):
### STUB     """Write the step for batches of this size to `target`, as network.export does."""
### STUB     raise NotImplementedError("xla_vs_eager.host_transfer")
import jax
import jax.numpy as jnp
import network
from slow_training import LIMIT, PATIENCE, SPREAD


def standardized(images):
    """Each picture with mean 0 and spread 1."""
    mean = images.mean((1, 2, 3), keepdims=True)
    return (images - mean) / (images.std((1, 2, 3), keepdims=True) + SPREAD)


def step(parameters, momentum, images, labels, rate):
    """New parameters, momentum, rate, and the loss before the step."""
    value, gradients = jax.value_and_grad(network.loss)(parameters, standardized(images), labels)
    norm = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(gradients)))
    scale = jnp.minimum(1.0, LIMIT / norm)
    good = jnp.isfinite(value)
    slower = jnp.where(good & (value > PATIENCE), rate / 2, rate)
    moved = jax.tree.map(lambda m, g: network.MOMENTUM * m + scale * g, momentum, gradients)
    new = jax.tree.map(lambda p, m: p - slower * m, parameters, moved)
    # Both sides are computed; where chooses, so that a NaN on the other side does no harm.
    new = jax.tree.map(lambda n, p: jnp.where(good, n, p), new, parameters)
    moved = jax.tree.map(lambda n, m: jnp.where(good, n, m), moved, momentum)
    return new, moved, slower, value


def export_step(batch, target):
    """Write the step for batches of this size to `target`, as network.export does."""
    rate = jax.ShapeDtypeStruct((), jnp.float32)
    network.export(step, (*network.abstract(batch), rate), target)


### END SOLUTION
