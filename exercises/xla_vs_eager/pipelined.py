"""A matrix product in Pallas whose copies run while the tiles before them are multiplied."""

from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
from jax import export
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

TILE = 128


### TASK xla_vs_eager.pallas_pipeline
def matmul(a, b, interpret=False):
    """a [m, k] @ b [k, n] in float32: one Pallas kernel that copies and multiplies tiles.

    interpret: as pallas_call takes it; m, n and k are multiples of TILE.
    """
    raise NotImplementedError("xla_vs_eager.pallas_pipeline")


# What the judge calls: leave it as it is. No TPU is needed to export for one.
def export_matmul(m, n, k, target):
    """Write the kernel for these sizes to `target`, exported for a TPU."""
    shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((m, k), (k, n))]
    program = export.export(jax.jit(matmul), platforms=["tpu"])(*shapes)
    Path(target).write_bytes(program.serialize())
