"""A matrix product in Pallas whose copies run while the tiles before them are multiplied."""

from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
from jax import export
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

TILE = 128


### BEGIN SOLUTION xla_vs_eager.pallas_pipeline
### STUB def matmul(a, b, interpret=False):
### STUB     """a [m, k] @ b [k, n] in float32: one Pallas kernel that copies and multiplies tiles.
### STUB
### STUB     interpret: as pallas_call takes it; m, n and k are multiples of TILE.
### STUB     """
### STUB     raise NotImplementedError("xla_vs_eager.pallas_pipeline")
SLOTS = 2


def kernel(a, b, out, a_tiles, b_tiles, sums, arrived, *, steps):
    """One tile of the product: out = the sum over `steps` of a tile of a times one of b."""
    rows = pl.ds(pl.program_id(0) * TILE, TILE)
    columns = pl.ds(pl.program_id(1) * TILE, TILE)

    def copies(step):
        slot, depth = step % SLOTS, pl.ds(step * TILE, TILE)
        return (
            pltpu.make_async_copy(a.at[rows, depth], a_tiles.at[slot], arrived.at[0, slot]),
            pltpu.make_async_copy(b.at[depth, columns], b_tiles.at[slot], arrived.at[1, slot]),
        )

    for copy in copies(0):
        copy.start()
    sums[...] = jnp.zeros_like(sums)

    @pl.loop(0, steps)
    def _(step):
        # The slot of the step after this one was read a step ago: it is free.
        @pl.when(step + 1 < steps)
        def _():
            for copy in copies(step + 1):
                copy.start()

        for copy in copies(step):
            copy.wait()
        slot = step % SLOTS
        sums[...] += jnp.dot(a_tiles[slot], b_tiles[slot], preferred_element_type=jnp.float32)

    out[...] = sums[...]


def matmul(a, b, interpret=False):
    """a [m, k] @ b [k, n] in float32: one Pallas kernel that copies and multiplies tiles.

    interpret: as pallas_call takes it; m, n and k are multiples of TILE.
    """
    (m, k), n = a.shape, b.shape[1]
    tile = (TILE, TILE)
    return pl.pallas_call(
        partial(kernel, steps=k // TILE),
        grid=(m // TILE, n // TILE),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)] * 2,
        out_specs=pl.BlockSpec(tile, lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
        scratch_shapes=[
            pltpu.VMEM((SLOTS, *tile), jnp.float32),
            pltpu.VMEM((SLOTS, *tile), jnp.float32),
            pltpu.VMEM(tile, jnp.float32),
            pltpu.SemaphoreType.DMA((2, SLOTS)),
        ],
        interpret=interpret,
    )(a, b)


### END SOLUTION


# What the judge calls: leave it as it is. No TPU is needed to export for one.
def export_matmul(m, n, k, target):
    """Write the kernel for these sizes to `target`, exported for a TPU."""
    shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((m, k), (k, n))]
    program = export.export(jax.jit(matmul), platforms=["tpu"])(*shapes)
    Path(target).write_bytes(program.serialize())
