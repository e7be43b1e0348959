"""Calls of a candidate: arguments, places in the judge's memory, and the worker's plan."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.buffers import Buffer, TensorPlacement, extent_bytes, row_strides
from hotloop.judge.candidate import Candidate
from hotloop.judge.dtypes import DType, poison, to_float64, to_storage
from hotloop.judge.worker_connection import WorkerConnection

GUARD_BYTES = 64
"""Minimum number of bytes after each output; a write past the end changes them and is detected."""


@dataclass(frozen=True)
class TensorSpec:
    """Shape, dtype and layout of a tensor.

    shape: elements along each axis. dtype: type of the elements. row_gap: unused elements between
        rows (0: contiguous); minus a row's length for one row that stands for all.
    order: the axes as they lie in memory, the last one side by side; as `permute` makes of them.
        () is their own order.
    """

    shape: tuple[int, ...]
    dtype: DType
    row_gap: int = 0
    order: tuple[int, ...] = ()

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in elements."""
        order = self.order or tuple(range(len(self.shape)))
        inner = row_strides([self.shape[axis] for axis in order], self.row_gap)
        return tuple(inner[order.index(axis)] for axis in range(len(self.shape)))

    @property
    def bytes(self) -> int:
        """Bytes from the first element through the last, gaps included."""
        return extent_bytes(self.shape, self.strides, self.dtype)


@dataclass(frozen=True)
class CallSpec:
    """One call, without its values.

    arguments: tensors and plain values, in order. out: the output tensor.
    """

    arguments: tuple[TensorSpec | int | float | bool | str | None, ...]
    out: TensorSpec

    @property
    def tensors(self) -> list[TensorSpec]:
        """The tensor arguments in order, then the output."""
        return [*(a for a in self.arguments if isinstance(a, TensorSpec)), self.out]

    @property
    def bytes(self) -> int:
        """Bytes of reading every input and writing the output once, without row gaps."""
        return sum(_bytes(t) for t in self.tensors)

    @property
    def bytes_by_row(self) -> int:
        """Bytes if each row of the largest tensor reads what is broadcast to it for itself.

        What a kernel moves whose programs compute one row each: of a `weight` of shape [columns],
        beside an `x` of shape [rows, columns], every program loads all elements. An input counts as
        broadcast if its shape differs from the largest tensor's and fits by PyTorch's rules; all
        other tensors are read or written once.
        """
        return sum(self.by_row(tensor) for tensor in self.tensors[:-1]) + _bytes(self.out)

    def by_row(self, tensor: TensorSpec) -> int:
        """Bytes of an input in `bytes_by_row`."""
        whole = max(self.tensors, key=lambda tensor: math.prod(tensor.shape)).shape
        if not _is_broadcast(tensor.shape, whole):
            return _bytes(tensor)
        return math.prod(whole[:-1]) * tensor.shape[-1] * tensor.dtype.bytes


def _bytes(tensor: TensorSpec) -> int:
    """Return the bytes of the elements, without row gaps."""
    return math.prod(tensor.shape) * tensor.dtype.bytes


def _is_broadcast(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Return whether a tensor with at least one dimension, of another shape, is broadcast."""
    if not shape or shape == to or len(shape) > len(to):
        return False
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return all(length in {1, whole} for length, whole in pairs)


@dataclass(frozen=True)
class PlacedCall:
    """A call whose tensors are placed in buffers of the judge."""

    spec: CallSpec
    places: tuple[TensorPlacement | None, ...]
    out: TensorPlacement
    buffers: dict[int, Buffer]

    def input(self, index: int) -> NDArray[Any]:
        """Return the raw elements of argument `index`, without a copy.

        Raises TypeError if the argument is not a tensor.
        """
        place = self.places[index]
        if place is None:
            raise TypeError(f"argument {index} is not a tensor")
        return place.view(self.buffers[place.buffer])

    def inputs(self) -> list[NDArray[Any]]:
        """Return the raw elements of all tensor arguments, in order, without copies."""
        return [self.input(i) for i, place in enumerate(self.places) if place is not None]

    def output(self) -> NDArray[Any]:
        """Return the raw elements of the output, without a copy."""
        return self.out.view(self.buffers[self.out.buffer])

    def output_values(self) -> NDArray[np.float64]:
        """Return a float64 copy of the output."""
        return to_float64(self.output().copy(), self.out.dtype)

    def write(self, index: int, values: NDArray[Any]) -> None:
        """Store `values`, rounded to the dtype of tensor argument `index`."""
        place = self.places[index]
        if place is None:
            raise TypeError(f"argument {index} is not a tensor")
        self.input(index)[...] = to_storage(values, place.dtype)

    def poison_output(self, pattern: int) -> None:
        """Fill the whole output buffer, gaps included, with a value no correct answer contains."""
        self._whole_output()[...] = poison(1, self.out.dtype, pattern)[0]

    def wrote_outside(self, pattern: int) -> bool:
        """True if poison after the output, or in the gaps between its rows, was overwritten."""
        poisoned = poison(1, self.out.dtype, pattern)[0]
        whole = self._whole_output().copy()
        strides = [step * self.out.dtype.bytes for step in self.out.strides]
        np.ndarray(self.out.shape, whole.dtype, whole.data, 0, strides)[...] = poisoned
        return whole.tobytes() != np.full_like(whole, poisoned).tobytes()

    def _whole_output(self) -> NDArray[Any]:
        buffer = self.buffers[self.out.buffer]
        count = buffer.size // self.out.dtype.bytes
        return np.frombuffer(buffer.bytes, self.out.dtype.storage, count)

    def message(self, *, destination: bool) -> dict[str, Any]:
        """Return the call for the worker's plan.

        destination: the output tensor is the last argument, and nothing is returned.
        """
        values: list[dict[str, Any]] = []
        for argument, place in zip(self.spec.arguments, self.places, strict=True):
            values.append({"json": argument} if place is None else {"tensor": place.to_message()})
        if destination:
            return {"args": [*values, {"tensor": self.out.to_message()}], "returns": None}
        return {"args": values, "returns": self.out.to_message()}


class CallBuffers:
    """All buffers that one worker maps for a set of calls. `close` releases them."""

    def __init__(
        self, specs: Iterable[CallSpec], *, seal_inputs: bool, memory: type[Buffer] = Buffer
    ) -> None:
        self.buffers: dict[int, Buffer] = {}
        self._seal_inputs = seal_inputs
        self._memory = memory
        self.calls: Sequence[PlacedCall] = [self._place(spec) for spec in specs]

    def hand_to(
        self, worker: WorkerConnection, candidate: Candidate, timeout_s: float, **extra: Any
    ) -> None:
        """Map the buffers in the worker and send it the plan of the calls."""
        worker.map(self.buffers)
        destination = candidate.style == "destination"
        calls = [call.message(destination=destination) for call in self.calls]
        plan = {"op": "plan", "calls": calls, "framework": candidate.framework}
        worker.request({**plan, "style": candidate.style, **extra}, timeout_s)

    def close(self) -> None:
        """Close the judge's file descriptors of the buffers."""
        for buffer in self.buffers.values():
            buffer.close()

    def _place(self, spec: CallSpec) -> PlacedCall:
        places = tuple(
            self._new(a, writable=not self._seal_inputs) if isinstance(a, TensorSpec) else None
            for a in spec.arguments
        )
        out = self._new(spec.out, writable=True, guard=GUARD_BYTES)
        return PlacedCall(spec, places, out, self.buffers)

    def _new(self, spec: TensorSpec, *, writable: bool, guard: int = 0) -> TensorPlacement:
        index = len(self.buffers)
        self.buffers[index] = self._memory(spec.bytes + guard, writable=writable)
        return TensorPlacement(index, 0, spec.dtype, spec.shape, spec.strides)
