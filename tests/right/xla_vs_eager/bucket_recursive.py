"""The cheapest split by memoized recursion from the largest size down; padding by masks and where."""


### BEGIN SOLUTION xla_vs_eager.bucket
import json
from bisect import bisect_right
from functools import lru_cache


def bucket_sizes(path, budget):
    lengths = sorted(json.load(open(path)))
    sizes = sorted(set(lengths))

    @lru_cache(maxsize=None)
    def cheapest(end, programs):
        """Rows and sizes for all batches up to sizes[end]."""
        if end < 0:
            return 0, ()
        if programs == 0:
            return float("inf"), ()
        options = []
        for begin in range(-1, end):
            rows, chosen = cheapest(begin, programs - 1)
            smaller = bisect_right(lengths, sizes[begin]) if begin >= 0 else 0
            count = bisect_right(lengths, sizes[end]) - smaller
            options.append((rows + count * sizes[end], (*chosen, sizes[end])))
        return min(options)

    return cheapest(len(sizes) - 1, budget)[1]


### END SOLUTION


### BEGIN SOLUTION xla_vs_eager.bucket padded
import jax
import jax.numpy as jnp
import network


def export_padded(size, target):
    def one(parameters, picture, label, counts):
        """The loss of one sample, whose picture is replaced before it is looked at."""
        clean = jnp.where(counts, picture, jnp.zeros_like(picture))
        right = jnp.where(counts, label, 0)
        value = network.losses(parameters, clean[None], right[None])[0]
        return jnp.where(counts, value, 0.0)

    def total(parameters, images, labels, count):
        counts = jax.lax.iota(jnp.int32, size) < count
        each = jax.vmap(one, (None, 0, 0, 0))(parameters, images, labels, counts)
        return each.sum() / count

    def program(parameters, images, labels, count):
        return jax.value_and_grad(total)(parameters, images, labels, count)

    tensors = {n: jax.ShapeDtypeStruct(s, jnp.float32) for n, s in network.shapes().items()}
    exported = jax.export.export(jax.jit(program))(
        tensors,
        jax.ShapeDtypeStruct((size, 8, 8, 1), jnp.float32),
        jax.ShapeDtypeStruct((size,), jnp.int32),
        jax.ShapeDtypeStruct((), jnp.int32),
    )
    with open(target, "wb") as file:
        file.write(exported.serialize())


### END SOLUTION
