"""Inspect and run steps that were exported for a mesh: layouts of tensors, and losses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import vlm_jax
from jax import export
from jax.sharding import AxisType, Mesh

Arrays = dict[str, np.ndarray]


def losses(seed: int, batch: int, steps: int) -> list[float]:
    """Return the losses of a few steps on one device."""
    step = jax.jit(vlm_jax.step)
    return _trained(step, seed, batch, steps)


def layout(path: str, data: int, model: int, batch: int) -> dict[str, Any]:
    """Return the shape of each tensor's part on one device, in and out, and the number of devices.

    Raises ValueError if the step's inputs or outputs are not those of `vlm_jax.step`.
    """
    exported = _loaded(path)
    mesh = _mesh(data, model)
    names = [f"parameters {n}" for n in sorted(vlm_jax.SHAPES)]
    names += [f"velocity {n}" for n in sorted(vlm_jax.SHAPES)]
    shapes = {n: tuple(vlm_jax.SHAPES[n.split(" ")[1]]) for n in names}
    shapes_in = {**shapes, "pictures": (batch, 3, 16, 16), "captions": (batch, 8)}
    return {
        "devices": exported.nr_devices,
        "in": _parts(shapes_in, exported.in_avals, exported.in_shardings_jax(mesh)),
        "out": _parts(shapes, exported.out_avals[:-1], exported.out_shardings_jax(mesh)[:-1]),
    }


def computed(path: str, data: int, model: int, seed: int, batch: int, steps: int) -> list[float]:
    """Return the losses of a few steps on the mesh, each with the results of the preceding one."""
    exported = _loaded(path)
    shardings = exported.in_shardings_jax(_mesh(data, model))
    _, tree = jax.tree.flatten((_arguments(seed, batch), {}))

    def step(*arguments: Any) -> Any:
        flat = jax.tree.leaves((arguments, {}))
        placed = [jax.device_put(a, s) for a, s in zip(flat, shardings, strict=True)]
        return call(*jax.tree.unflatten(tree, placed)[0])

    call = jax.jit(exported.call)
    return _trained(step, seed, batch, steps)


def _trained(step: Any, seed: int, batch: int, steps: int) -> list[float]:
    parameters, velocity, pictures, captions = _arguments(seed, batch)
    losses: list[float] = []
    for _ in range(steps):
        parameters, velocity, loss = step(parameters, velocity, pictures, captions)
        losses.append(float(loss))
    return losses


def _arguments(seed: int, batch: int) -> tuple[Arrays, Arrays, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    parameters = {
        name: (0.2 * rng.standard_normal(shape)).astype(np.float32)
        for name, shape in vlm_jax.SHAPES.items()
    }
    velocity = {name: 0.1 * array for name, array in parameters.items()}
    pictures = rng.random((batch, 3, 16, 16), np.float32)
    return parameters, velocity, pictures, rng.integers(0, 16, (batch, 8)).astype(np.int32)


def _mesh(data: int, model: int) -> Mesh:
    devices = np.array(jax.devices()[: data * model]).reshape(data, model)
    return Mesh(devices, ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))


def _loaded(path: str) -> Any:
    return export.deserialize(bytearray(Path(path).read_bytes()))


def _parts(shapes: dict[str, tuple[int, ...]], avals: Any, shardings: Any) -> dict[str, list[int]]:
    if [tuple(aval.shape) for aval in avals] != list(shapes.values()):
        raise ValueError("the step does not take and give what vlm_jax.step does")
    return {
        name: list(shape if sharding is None else sharding.shard_shape(shape))
        for (name, shape), sharding in zip(shapes.items(), shardings, strict=True)
    }
