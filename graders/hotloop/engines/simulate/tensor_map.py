"""Tensor maps of a launch: which tile of an array a tensor copy moves, and how it lies then.

include/hotloop/tensor_map.h does the same for a program's own host code.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from hotloop.engines.simulate.problem import SimulatorError

BYTES = 128
"""Size of a CUtensorMap."""

MOST_BOX = 256
_IS_MAP = 0x70A5A9
_RANK = 5


@dataclass(frozen=True)
class Tile:
    """A box of elements that a tensor copy moves, and how it lies in shared memory.

    box: as the array's shape, the dimension whose elements are neighbors last.
    swizzle: of its rows, in bytes: 0, 32, 64 or 128.
    Raises SimulatorError for what CUDA refuses.
    """

    box: tuple[int, ...]
    swizzle: int = 0

    def encoded(self, address: int, shape: Sequence[int], element: int) -> bytes:
        """Return the CUtensorMap of an array without gaps. element: its bytes."""
        row = self.box[-1] * element
        fits = len(self.box) == len(shape) <= _RANK and all(0 < n <= MOST_BOX for n in self.box)
        if not fits or address % 16 or row % 16 or (self.swizzle and row > self.swizzle):
            raise SimulatorError(
                f"no tensor map has a box of {self.box} elements of {element} bytes with a swizzle "
                f"of {self.swizzle} bytes for an array of {tuple(shape)}"
            )
        sizes, boxes = list(reversed(shape)), list(reversed(self.box))
        strides = [element]
        for size in sizes[:-1]:
            strides.append(strides[-1] * size)
        if any(stride % 16 for stride in strides[1:]):
            raise SimulatorError(f"rows of {strides[1]} bytes: a tensor map needs a multiple of 16")
        rest = [0] * (_RANK - len(sizes))
        fields = [_IS_MAP, address, len(sizes), element, self.swizzle]
        for numbers in (sizes, strides, boxes):
            fields += [*numbers, *rest]
        return struct.pack(f"<{len(fields)}I", *fields).ljust(BYTES, b"\0")
