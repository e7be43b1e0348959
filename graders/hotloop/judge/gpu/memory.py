"""Device memory that the judge owns and lends to one worker for one window.

The memory is new for every window and never shared with a second process: a worker that keeps a
handle of an old buffer sees nothing of the next. The layout is planned before memory is allocated.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hotloop.core.closing import Closing
from hotloop.judge.buffers import TensorPlacement
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.gpu.driver import Driver
from hotloop.worker.device import READ_WRITE

ALIGNMENT = 512
"""Bytes. The same as in torch's allocator, so that kernels take the same code paths."""

INPUTS, OUTPUTS = 0, 1


class DeviceBuffer(Closing):
    """One block of device memory, mapped in the judge for reading and writing.

    size: bytes, rounded up to the device's granularity.
    writable: whether the worker's mapping is writable.
    """

    def __init__(self, driver: Driver, size: int, *, writable: bool) -> None:
        step = driver.granularity()
        self.size = max(step, _up(size, step))
        self.writable = writable
        self._driver = driver
        self._handle = driver.create(self.size)
        self.address = 0
        self._mapped = False
        try:
            self.address = driver.reserve(self.size)
            driver.map(self.address, self.size, self._handle)
            self._mapped = True
            driver.allow(self.address, self.size, READ_WRITE)
        except Exception:
            self._give_back()
            raise

    def export(self) -> int:
        """Return a file descriptor for the one worker that may import it. The caller closes it."""
        return self._driver.export(self._handle)

    def close(self) -> None:
        """Unmap and release. The memory is free once the worker has unmapped it too."""
        if self._handle:
            self._driver.synchronize()
            self._give_back()

    def _give_back(self) -> None:
        if self._mapped:
            self._driver.unmap(self.address, self.size)
        if self.address:
            self._driver.free_address(self.address, self.size)
        self._driver.release(self._handle)
        self._handle = self.address = 0


@dataclass(frozen=True)
class Layout:
    """Placements of the tensors of some calls: all inputs in one buffer, all outputs in another."""

    calls: tuple[PlacedCall, ...]
    input_bytes: int
    output_bytes: int

    @classmethod
    def of(cls, specs: Iterable[CallSpec]) -> Layout:
        """Place the calls one after the other, without overlap."""
        inputs, outputs = _Packer(INPUTS), _Packer(OUTPUTS)
        calls = tuple(
            PlacedCall(
                spec,
                tuple(
                    inputs.place(a) if isinstance(a, TensorSpec) else None for a in spec.arguments
                ),
                outputs.place(spec.out),
                {},
            )
            for spec in specs
        )
        return cls(calls, inputs.size, outputs.size)

    def describe(self, granularity: int) -> list[dict[str, Any]]:
        """Return the two buffers for a worker's device_plan."""
        inputs, outputs = (_up(n, granularity) for n in (self.input_bytes, self.output_bytes))
        return [
            {"id": INPUTS, "bytes": max(granularity, inputs), "writable": False},
            {"id": OUTPUTS, "bytes": max(granularity, outputs), "writable": True},
        ]

    def messages(self, *, destination: bool) -> list[dict[str, Any]]:
        """Return the calls for a worker's device_plan."""
        return [call.message(destination=destination) for call in self.calls]


class Loan(Closing):
    """The memory of a layout, from filling by the judge until the comparison."""

    def __init__(self, driver: Driver, layout: Layout) -> None:
        self.layout = layout
        self.inputs = DeviceBuffer(driver, layout.input_bytes, writable=False)
        try:
            self.outputs = DeviceBuffer(driver, layout.output_bytes, writable=True)
        except Exception:
            self.inputs.close()
            raise

    @contextmanager
    def descriptors(self) -> Generator[list[int]]:
        """Yield file descriptors of the buffers in a worker's order; they are closed after that."""
        fds = [self.inputs.export(), self.outputs.export()]
        try:
            yield fds
        finally:
            for fd in fds:
                os.close(fd)

    def close(self) -> None:
        """Release both buffers."""
        self.inputs.close()
        self.outputs.close()


class _Packer:
    def __init__(self, buffer: int) -> None:
        self._buffer = buffer
        self.size = 0

    def place(self, spec: TensorSpec) -> TensorPlacement:
        offset = _up(self.size, ALIGNMENT)
        self.size = offset + spec.bytes
        return TensorPlacement(self._buffer, offset, spec.dtype, spec.shape, spec.strides)


def _up(size: int, step: int) -> int:
    return -(-size // step) * step
