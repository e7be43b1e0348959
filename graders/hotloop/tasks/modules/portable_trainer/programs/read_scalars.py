"""Read curves from an event file with TensorBoard's own reader."""

from __future__ import annotations

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

ALL = 0
"""Keep all values: by default, TensorBoard keeps a sample of them."""

Curve = list[list[float]]


def scalars(path: str) -> dict[str, Curve]:
    """Return [step, wall time, value] of each point, by the curve's name."""
    reader = EventAccumulator(path, size_guidance={"scalars": ALL, "tensors": ALL})
    reader.Reload()
    tags = reader.Tags()
    curves = {
        tag: [[float(e.step), float(e.wall_time), float(e.value)] for e in reader.Scalars(tag)]
        for tag in tags["scalars"]
    }
    for tag in tags["tensors"]:  # newer writers keep a scalar as a tensor without axes
        curves[tag] = [
            [float(e.step), float(e.wall_time), float(make_ndarray(e.tensor_proto))]
            for e in reader.Tensors(tag)
        ]
    return curves
