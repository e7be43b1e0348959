"""Few programs for many sizes: to which sizes one pads, and how padding does no harm."""

### BEGIN SOLUTION xla_vs_eager.bucket
### STUB def bucket_sizes(path, budget):
### STUB     """At most `budget` sizes; each batch goes to the smallest that holds it."""
### STUB     raise NotImplementedError("xla_vs_eager.bucket")
import json
from collections import Counter
from pathlib import Path


def bucket_sizes(path, budget):
    """At most `budget` sizes; each batch goes to the smallest that holds it."""
    seen = Counter(json.loads(Path(path).read_text()))
    sizes = sorted(seen)
    # cost[i]: rows computed for the i smallest sizes, with the buckets so far; the last one ends
    # at sizes[i - 1]. Each further bucket may begin wherever the one before it has ended.
    below = [0]
    for size in sizes:
        below.append(below[-1] + seen[size])
    cost = [0.0] + [float("inf")] * len(sizes)
    chosen = {0: ()}
    for _ in range(budget):
        better, sets = list(cost), dict(chosen)
        for end in range(1, len(sizes) + 1):
            for begin in range(end):
                asked = cost[begin] + (below[end] - below[begin]) * sizes[end - 1]
                if asked < better[end]:
                    better[end], sets[end] = asked, (*chosen[begin], sizes[end - 1])
        cost, chosen = better, sets
    return list(chosen[len(sizes)])


### END SOLUTION

### BEGIN SOLUTION xla_vs_eager.bucket padded
### STUB def export_padded(size, target):
### STUB     """Write loss and gradients of the first `count` of `size` samples to `target`."""
### STUB     raise NotImplementedError("xla_vs_eager.bucket")
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
    return jnp.where(real, each, 0).sum() / count


def export_padded(size, target):
    """Write loss and gradients of the first `count` of `size` samples to `target`."""
    parameters, _, images, labels = network.abstract(size)
    count = jax.ShapeDtypeStruct((), jnp.int32)
    network.export(jax.value_and_grad(padded), (parameters, images, labels, count), target)


### END SOLUTION
