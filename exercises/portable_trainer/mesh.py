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


### TASK portable_trainer.mesh specs
def specs(model):
    """For each parameter a list, `"model"` or None for each of its dimensions."""
    raise NotImplementedError("portable_trainer.mesh")


### TASK portable_trainer.mesh export
def exported_step(data, model, batch):
    """`vlm_jax.step` for a mesh, exported, for so many samples over all of the mesh."""
    raise NotImplementedError("portable_trainer.mesh")
