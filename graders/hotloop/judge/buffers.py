"""Shared memory owned by the judge: sealed memfds that a worker maps and no process can resize.

An input is sealed against every write except through the judge's own mapping, so a worker sees it
read-only; an output may be written by both. No buffer is ever given to two workers.
"""

import mmap
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.closing import Closing
from hotloop.judge.dtypes import DType

# From linux/fcntl.h; Python 3.11 does not define all of them.
_F_ADD_SEALS = 1033
_F_SEAL_SEAL = 0x01
_F_SEAL_SHRINK = 0x02
_F_SEAL_GROW = 0x04
_F_SEAL_FUTURE_WRITE = 0x10

PAGE = mmap.PAGESIZE


class Buffer(Closing):
    """One block of shared memory.

    size: bytes, rounded up to whole pages.
    writable: whether a worker may write it.
    """

    def __init__(self, size: int, *, writable: bool) -> None:
        self.size = max(PAGE, -(-size // PAGE) * PAGE)
        self.writable = writable
        self._fd = -1
        self.bytes: NDArray[np.uint8] = self._memory()

    def _memory(self) -> NDArray[np.uint8]:
        import fcntl  # not on every system on which a simulator runs in the judge's own process

        self._fd = os.memfd_create("hotloop", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self._fd, self.size)
        mapped = mmap.mmap(self._fd, self.size, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
        seals = _F_SEAL_SHRINK | _F_SEAL_GROW | _F_SEAL_SEAL
        if not self.writable:
            seals |= _F_SEAL_FUTURE_WRITE
        fcntl.fcntl(self._fd, _F_ADD_SEALS, seals)
        return np.frombuffer(mapped, np.uint8)

    @property
    def fd(self) -> int:
        """The file descriptor to send to the one worker that may map this buffer."""
        return self._fd

    def close(self) -> None:
        """Close the file descriptor. The memory exists until the last mapping is gone."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class OwnMemory(Buffer):
    """A block of the judge's own memory, for a simulator in the judge's process."""

    def _memory(self) -> NDArray[np.uint8]:
        return np.zeros(self.size, np.uint8)


@dataclass(frozen=True)
class TensorPlacement:
    """Position of a tensor in a buffer. offset is in bytes, strides are in elements."""

    buffer: int
    offset: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def view(self, buffer: Buffer) -> NDArray[Any]:
        """Return the judge's numpy view of the raw elements, which shares the buffer's memory."""
        item = self.dtype.bytes
        return np.ndarray(
            self.shape,
            self.dtype.storage,
            buffer=buffer.bytes.data,
            offset=self.offset,
            strides=[s * item for s in self.strides],
        )

    def to_message(self) -> dict[str, Any]:
        """Return the placement for the worker's `plan` request."""
        return {
            "buffer": self.buffer,
            "offset": self.offset,
            "dtype": self.dtype.name,
            "shape": list(self.shape),
            "strides": list(self.strides),
        }


def row_strides(shape: Sequence[int], gap: int) -> tuple[int, ...]:
    """Return strides, in elements, of rows with `gap` unused elements between them."""
    strides: list[int] = []
    step = 1
    for index, extent in enumerate(reversed(shape)):
        strides.append(step)
        step = step * extent + (gap if index == 0 else 0)
    return tuple(reversed(strides))


def extent_bytes(shape: Sequence[int], strides: Sequence[int], dtype: DType) -> int:
    """Return the bytes from the first to the end of the last element of a strided tensor."""
    if 0 in shape:
        return 0
    last = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    return (last + 1) * dtype.bytes
