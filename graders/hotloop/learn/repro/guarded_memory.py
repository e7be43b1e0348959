"""Memory around the tensors of a repro program: a write past a tensor's end ends no process.

A kernel without a mask writes past its output. In memory of exactly the output's size that destroys
what the C library keeps behind it, and the process aborts before it can print anything.
"""

import ctypes
import mmap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

ROOM_BYTES = 1 << 20
"""Room before and after each tensor, where a write is seen."""

_PROTECTED_BYTES = 16 << 20
"""Behind the room, where any access ends the process, so that Python prints the line."""

_PROT_NONE = 0


class GuardedMemory:
    """The memory of a program's tensors."""

    def __init__(self) -> None:
        self._tensors: list[_Tensor] = []

    def new(
        self, name: str, shape: Sequence[int], strides: Sequence[int], item: int
    ) -> NDArray[np.uint8]:
        """Return the bytes from the first element to the last, with room around them.

        strides: in elements. item: bytes of an element.
        """
        last = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
        used = np.zeros((0 if 0 in shape else last + 1, item), np.bool_)
        if used.size:
            as_strided(used, (*shape, item), (*(step * item for step in strides), 1))[...] = True
        size = used.size
        around = _PROTECTED_BYTES + ROOM_BYTES
        block = mmap.mmap(
            -1,
            around + -(-size // mmap.PAGESIZE) * mmap.PAGESIZE + around,
            flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
        )
        whole = np.frombuffer(block, np.uint8)
        for start in (whole.ctypes.data, whole.ctypes.data + len(whole) - _PROTECTED_BYTES):
            # Fails on no system that judges; without it, only a write of more than the room is lost
            ctypes.CDLL(None).mprotect(
                ctypes.c_void_p(start), ctypes.c_size_t(_PROTECTED_BYTES), _PROT_NONE
            )
        # Each tensor's room holds another byte: what is read past one and written past another
        # is seen, too.
        fill = 0xA1 + len(self._tensors) % 0x50
        tensor = _Tensor(name, item, used.reshape(-1), whole, fill)
        for part in (tensor.before, tensor.elements, tensor.after):
            part[...] = fill
        self._tensors.append(tensor)
        return tensor.elements

    def stray_writes(self) -> list[str]:
        """Return a sentence for each side of each tensor where something was written."""
        return [sentence for tensor in self._tensors for sentence in tensor.stray_writes()]


@dataclass(frozen=True)
class _Tensor:
    """used: which bytes belong to elements. fill: the byte that all others hold."""

    name: str
    item: int
    used: NDArray[np.bool_]
    whole: NDArray[np.uint8]
    fill: int

    @property
    def size(self) -> int:
        return len(self.used)

    @property
    def elements(self) -> NDArray[np.uint8]:
        return self._part(0, self.size)

    @property
    def before(self) -> NDArray[np.uint8]:
        return self._part(-ROOM_BYTES, 0)

    @property
    def after(self) -> NDArray[np.uint8]:
        return self._part(self.size, self.size + ROOM_BYTES)

    def _part(self, start: int, end: int) -> NDArray[np.uint8]:
        first = _PROTECTED_BYTES + ROOM_BYTES
        return self.whole[first + start : first + end]

    def stray_writes(self) -> list[str]:
        sides = (
            ("before its start", self.before, -ROOM_BYTES),
            ("past its end", self.after, self.size),
        )
        gaps = np.flatnonzero((self.elements != self.fill) & ~self.used)
        found = [(side, np.flatnonzero(room != self.fill) + offset) for side, room, offset in sides]
        found.insert(1, ("between its rows", gaps))
        return [self._sentence(side, offsets) for side, offsets in found if len(offsets)]

    def _sentence(self, side: str, offsets: NDArray[np.int64]) -> str:
        """Say what was written. offsets: of the bytes, from the tensor's start."""
        places = np.unique(offsets // self.item)
        what = f"element [{places[0]}]"
        if len(places) > 1:
            what = f"{len(places)} elements, [{places[0]}] to [{places[-1]}],"
        return f"{self.name}, of length {self.size // self.item}: {what} written {side}"
