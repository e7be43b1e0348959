"""Divides by the padded size, so that a nearly empty batch hardly counts.

fails: bucket.equal
"""

### BEGIN SOLUTION xla_vs_eager.bucket padded
import jax
import jax.numpy as jnp
import network


def padded(parameters, images, labels, count):
    """Mean loss of the first `count` samples, whatever the others hold."""
    real = jnp.arange(images.shape[0]) < count
    # What is not real is replaced before it is computed with: 0 · NaN is NaN, also in gradients.
    images = jnp.where(real[:, None, None, None], images, 0)
    labels = jnp.where(real, labels, 0)
    each = network.losses(parameters, images, labels)
    return jnp.where(real, each, 0).mean()


def export_padded(size, target):
    """Write loss and gradients of the first `count` of `size` samples to `target`."""
    parameters, _, images, labels = network.abstract(size)
    count = jax.ShapeDtypeStruct((), jnp.int32)
    network.export(jax.value_and_grad(padded), (parameters, images, labels, count), target)


### END SOLUTION
