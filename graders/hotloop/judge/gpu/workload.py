"""What a timed window on a GPU computes, and the values that only the judge knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.author_guard import Authored
from hotloop.judge.buffers import TensorPlacement
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.gpu.arithmetic import Arithmetic, Tensor
from hotloop.judge.gpu.memory import Layout
from hotloop.judge.gpu.recipes import Draw
from hotloop.judge.seeds import Seeds

SAMPLED_ROWS = 4
VALUES_PER_ROW = 8
COMPARED_CALLS = 4
"""Calls of a leg that are compared. A judging compares hundreds, so skipping one in ten is
detected."""

_SEED_BITS = (1 << 63) - 1


@dataclass(frozen=True)
class DeviceWorkload(Authored):
    """What a window computes.

    spec: returns shapes and dtypes of one call, from a secret generator and the call's number. The
        generator has the same state for every call of a judging, so that few distinct shapes are
        drawn.
    draws: returns one recipe per tensor argument, none if there is none; the last argument requests
        adversarial ones.
    truth: computes some rows of the output from those rows of the inputs, torch tensors of float64
        (masks of bool) on the GPU. Rows along the first axis must be independent. Inputs without
        that axis are passed whole. If a row needs much memory, it should compute one row at a time.
    tolerance: returns the tolerance for every element of a call.
    numbered: whether `truth` also gets the rows' numbers, behind the inputs, since a row's result
        depends on where it lies.
    """

    spec: Callable[[np.random.Generator, int], CallSpec]
    draws: Callable[[np.random.Generator, CallSpec, bool], tuple[Draw, ...]]
    truth: Callable[..., Tensor]
    tolerance: Callable[[CallSpec], Tolerance]
    numbered: bool = False


@dataclass(frozen=True)
class Secrets:
    """How one leg's inputs are generated, and which values are checked.

    recipes: per call, a recipe and a seed for each tensor argument.
    calls: numbers of the calls that are compared with the truth.
    rows: per call, the rows whose values are captured, and compared if the call is.
    positions: byte positions of captured values in the output buffer, [values, bytes of an
        element].
    whole: the one of `calls` of which every element may be compared.
    chance: random number, 0 to 1, that decides this; see `compares_whole`.
    """

    recipes: tuple[tuple[tuple[Draw, int], ...], ...]
    calls: tuple[int, ...]
    rows: tuple[NDArray[np.int64], ...]
    positions: NDArray[np.int64]
    whole: int
    chance: float

    @classmethod
    def draw(
        cls, workload: DeviceWorkload, layout: Layout, adversarial: Sequence[bool], seeds: Seeds
    ) -> Secrets:
        """Draw the secrets of one leg."""
        rng = seeds.generator()
        recipes = tuple(
            tuple(
                (recipe, seeds.pattern() & _SEED_BITS)
                for recipe in workload.draws(rng, call.spec, hostile)
            )
            for call, hostile in zip(layout.calls, adversarial, strict=True)
        )
        rows = tuple(_pick_rows(rng, call.out) for call in layout.calls)
        positions = _positions(rng, layout, rows)
        calls = _pick_calls(rng, adversarial)
        return cls(recipes, calls, rows, positions, calls[0], float(rng.random()))

    def compares_whole(self, share: float) -> bool:
        """Return True in a fraction `share` of all legs."""
        return self.chance < share

    def inputs(
        self, number: int, call: PlacedCall, arithmetic: Arithmetic
    ) -> list[tuple[TensorPlacement, Tensor]]:
        """Generate the tensor arguments of a call from their seeds: the same ones every time."""
        tensors = [
            (place, spec)
            for place, spec in zip(call.places, call.spec.arguments, strict=True)
            if place is not None and isinstance(spec, TensorSpec)
        ]
        return [
            (place, arithmetic.draw(spec, recipe, seed))
            for (place, spec), (recipe, seed) in zip(tensors, self.recipes[number], strict=True)
        ]


def _pick_calls(rng: np.random.Generator, adversarial: Sequence[bool]) -> tuple[int, ...]:
    """Return random calls; at least half of the time, an adversarial call (if any) is first.

    Few of its rows may be unusual, which only a comparison of the whole output detects.
    """
    order = rng.permutation(len(adversarial))
    unusual = np.flatnonzero(adversarial)
    if unusual.size and rng.random() < 0.5:
        order = np.array([rng.choice(unusual), *order])
    return tuple(dict.fromkeys(map(int, order)))[:COMPARED_CALLS]


def _pick_rows(rng: np.random.Generator, out: TensorPlacement) -> NDArray[np.int64]:
    count = min(SAMPLED_ROWS, out.shape[0])
    return np.sort(rng.choice(out.shape[0], size=count, replace=False)).astype(np.int64)


def _positions(
    rng: np.random.Generator, layout: Layout, rows: Sequence[NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Return byte positions of a few elements of each picked row, [values, bytes of an element]."""
    values = [
        _value_bytes(rng, call.out, picks) for call, picks in zip(layout.calls, rows, strict=True)
    ]
    width = max(v.shape[1] for v in values)
    return np.concatenate([_widened(v, width) for v in values])


def _widened(values: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Repeat the last column up to `width` columns; most calls have one dtype and need none."""
    missing = width - values.shape[1]
    return np.pad(values, ((0, 0), (0, missing)), mode="edge") if missing else values


def _value_bytes(
    rng: np.random.Generator, out: TensorPlacement, rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    count = len(rows) * VALUES_PER_ROW
    elements = np.repeat(rows, VALUES_PER_ROW) * out.strides[0]
    for extent, stride in zip(out.shape[1:], out.strides[1:], strict=True):
        elements = elements + rng.integers(extent, size=count) * stride
    first = out.offset + elements * out.dtype.bytes
    return first[:, None] + np.arange(out.dtype.bytes)
