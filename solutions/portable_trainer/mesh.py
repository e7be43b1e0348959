"""The training step over a mesh of devices, by XLA.

A mesh has two axes: `data`, over which the samples of a batch are spread, and `model`, over which
parameters are. Which tensor lies how is said by specs: plain data, one entry a dimension, `"data"`,
`"model"` or None. XLA finds out by itself where devices have to talk.

Here eight host devices stand for the pod; on a pod nothing in this file changes.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

from pathlib import Path

import jax
import numpy as np
import vlm_jax
from jax import export
from jax import numpy as jnp
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

AXES = ("data", "model")


def mesh_of(data, model):
    """The first data × model devices, as a mesh."""
    devices = np.array(jax.devices()[: data * model]).reshape(data, model)
    return Mesh(devices, AXES, axis_types=(AxisType.Auto, AxisType.Auto))


def save_step(data, model, batch, path):
    """Write the exported step for a mesh and a batch; those who run it need none of this code."""
    Path(path).write_bytes(exported_step(data, model, batch).serialize())


### BEGIN SOLUTION portable_trainer.mesh specs
### STUB def specs(model):
### STUB     """For each parameter a list, `"model"` or None for each of its dimensions."""
### STUB     raise NotImplementedError("portable_trainer.mesh")
def specs(model):
    """For each parameter a list, `"model"` or None for each of its dimensions."""
    return {name: spec(shape, model) for name, shape in vlm_jax.SHAPES.items()}


def spec(shape, model):
    """The longest dimension that the axis divides is split; none if there is no such."""
    fitting = [place for place, length in enumerate(shape) if length % model == 0]
    split = max(fitting, key=lambda place: shape[place], default=None)
    return ["model" if place == split else None for place in range(len(shape))]


### END SOLUTION


### BEGIN SOLUTION portable_trainer.mesh export
### STUB def exported_step(data, model, batch):
### STUB     """`vlm_jax.step` for a mesh, exported, for so many samples over all of the mesh."""
### STUB     raise NotImplementedError("portable_trainer.mesh")
def exported_step(data, model, batch):
    """`vlm_jax.step` for a mesh, exported, for so many samples over all of the mesh."""
    mesh = mesh_of(data, model)
    split = {
        name: NamedSharding(mesh, PartitionSpec(*entry)) for name, entry in specs(model).items()
    }
    samples, everywhere = (NamedSharding(mesh, PartitionSpec(*entry)) for entry in (["data"], []))
    step = jax.jit(
        vlm_jax.step,
        in_shardings=(split, split, samples, samples),
        # What comes out lies as it went in, so that it can go in again.
        out_shardings=(split, split, everywhere),
    )
    parameters = {
        name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in vlm_jax.SHAPES.items()
    }
    pictures = jax.ShapeDtypeStruct((batch, 3, 16, 16), jnp.float32)
    captions = jax.ShapeDtypeStruct((batch, 8), jnp.int32)
    return export.export(step)(parameters, parameters, pictures, captions)


### END SOLUTION
