"""One step on eight XLA devices: which collectives the partitioner puts in."""

from __future__ import annotations

import os
import re
from collections import Counter

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

P = PartitionSpec
ROWS, HIDDEN = 64, 256
NAMES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")


def loss(weights: jax.Array, x: jax.Array) -> jax.Array:
    """Two layers, or one and its transpose."""
    return jnp.square(jnp.tanh(x @ weights) @ weights.T).mean()


def step(weights: jax.Array, x: jax.Array) -> jax.Array:
    """Plain descent."""
    return weights - 0.1 * jax.grad(loss)(weights, x)


def collectives(mesh: jax.sharding.Mesh, weights: P, x: P) -> tuple[Counter[str], int]:
    """How often each is in the compiled step, and bytes of weights on a device."""
    placed = [NamedSharding(mesh, spec) for spec in (weights, x)]
    shapes = [
        jax.ShapeDtypeStruct((HIDDEN, HIDDEN), jnp.float32, sharding=placed[0]),
        jax.ShapeDtypeStruct((ROWS, HIDDEN), jnp.float32, sharding=placed[1]),
    ]
    compiled = jax.jit(step, out_shardings=placed[0]).lower(*shapes).compile()
    found = re.findall(rf" ({'|'.join(NAMES)})(?:-start)?\(", compiled.as_text())
    shard = placed[0].shard_shape((HIDDEN, HIDDEN))
    return Counter(found), 4 * shard[0] * shard[1]


def main() -> None:
    """Print them for three shardings."""
    auto = jax.sharding.AxisType.Auto
    flat = jax.make_mesh((8,), ("data",), axis_types=(auto,))
    square = jax.make_mesh((4, 2), ("data", "model"), axis_types=(auto, auto))
    ways = {
        "data parallel": (flat, P(), P("data")),
        "FSDP": (flat, P("data"), P("data")),
        "tensor parallel by 2": (square, P(None, "model"), P("data")),
    }
    for name, (mesh, weights, x) in ways.items():
        found, held = collectives(mesh, weights, x)
        told = ", ".join(f"{found[kind]} {kind}" for kind in NAMES if found[kind])
        print(f"{name}: {told}; {held:,} bytes of weights on a device")
        if name == "data parallel":
            assert set(found) == {"all-reduce"}
        if name == "FSDP":
            assert found["all-gather"]
    print("a ring's all-reduce of n bytes sends 2 n (g - 1) / g from each device,")
    print("  as much as a reduce-scatter and an all-gather together")


if __name__ == "__main__":
    main()
