"""A timed call on a GPU by its definition: axes, inputs, output and reference.

The parts are those of a FlashInfer-Bench definition; shapes are names of axes, and bytes follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP32, DType
from hotloop.judge.gpu.arithmetic import Tensor
from hotloop.judge.gpu.recipes import Draw, Normal, Twist
from hotloop.judge.gpu.workload import DeviceWorkload

Axes = Mapping[str, int]
Drawn = Draw | Callable[[np.random.Generator], Draw]
"""How values are drawn, or a function that chooses this by a secret generator."""

USUAL = Normal(1.0)


@dataclass(frozen=True)
class Input:
    """A tensor of a timed call that is filled with random values.

    shape: names of axes, separated by spaces, such as "rows columns".
    dtype: of its elements.
    draw: how its values are drawn; hostile: in adversarial calls, if that differs.
    """

    shape: str
    dtype: DType = FP32
    draw: Drawn = USUAL
    hostile: Drawn | None = None

    def drawn(self, rng: np.random.Generator, hostile: bool) -> Draw:
        """Return how a call's values are drawn."""
        how = (hostile and self.hostile) or self.draw
        return how(rng) if callable(how) else how


@dataclass(frozen=True)
class Output:
    """The tensor that a timed call fills. shape, dtype: as in `Input`."""

    shape: str
    dtype: DType = FP32


def few_rows(scale: float, twists: Sequence[Twist]) -> Drawn:
    """Return a draw for adversarial calls: normal numbers, with a twist in 1 to 5 rows.

    Only in a few rows, so that looking at some rows reveals nothing about the others.
    """

    def draw(rng: np.random.Generator) -> Draw:
        twist = twists[int(rng.integers(len(twists)))]
        return Normal(scale, twist, rows=int(rng.integers(1, 6)))

    return draw


def device_workload(
    axes: Axes | Callable[[np.random.Generator, int], Axes],
    inputs: tuple[Input | int | float | bool | str, ...],
    output: Output,
    reference: Callable[..., Tensor],
    tolerance: Tolerance | Callable[[CallSpec], Tolerance],
) -> DeviceWorkload:
    """Return what a window on a GPU computes.

    axes: sizes by name, or a function of a secret generator and the call's number that returns
        them; see `DeviceWorkload.spec`.
    inputs: the call's arguments in order; a text is the size of the axis of that name.
    reference: as `DeviceWorkload.truth`: on float64 torch tensors, row by row.
    tolerance: for every element; or a function of the call.

    Raises KeyError for the name of an axis that does not exist, if the axes are no function.
    """
    tensors = [each for each in inputs if isinstance(each, Input)]

    def sizes(rng: np.random.Generator, index: int) -> Axes:
        return axes(rng, index) if callable(axes) else axes

    def spec(rng: np.random.Generator, index: int) -> CallSpec:
        return _spec(sizes(rng, index), inputs, output)

    def draws(rng: np.random.Generator, _spec: CallSpec, hostile: bool) -> tuple[Draw, ...]:
        return tuple(each.drawn(rng, hostile) for each in tensors)

    if not callable(axes):
        _spec(axes, inputs, output)  # names are wrong here, where it is the author's fault
    allowed = tolerance if callable(tolerance) else lambda _spec: tolerance
    return DeviceWorkload(spec, draws, reference, allowed)


def _spec(
    sizes: Axes, inputs: tuple[Input | int | float | bool | str, ...], output: Output
) -> CallSpec:
    def tensor(of: Input | Output) -> TensorSpec:
        return TensorSpec(tuple(sizes[name] for name in of.shape.split()), of.dtype)

    arguments = (
        tensor(each) if isinstance(each, Input) else sizes[each] if isinstance(each, str) else each
        for each in inputs
    )
    return CallSpec(tuple(arguments), tensor(output))
