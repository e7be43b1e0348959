"""The memory of a replayed kernel: where its tensors are, and the bytes that it loads and stores.

The interpreter calls `load`, `store` or `atomic` of `ReplayMemory` before each access. An access
must stay inside the elements of a known tensor, its bytes are counted, and `ReplayMemory.races`
compares it with the accesses of other programs. Addresses that repeat within one access count once,
because a GPU fetches them once.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.worker.triton_races import Races, SourceLine

Bits = NDArray[np.bool_]
Addresses = NDArray[np.uint64]

GUARD_BYTES = 1 << 20
"""Gap between two tensors, so that a wrong index does not fall into another tensor."""

_ALIGNMENT = 4096


class MemoryFault(Exception):
    """An invalid memory access by a kernel.

    kind: "outside", "gap", "read_only" or "uninitialized". distance: bytes past the end of the
    region, negative before its start; 0 unless kind is "outside".
    """

    def __init__(self, kind: str, access: str, region: TensorRegion, distance: int) -> None:
        super().__init__(f"{access} {kind} {region.name}: {distance} bytes")
        self.kind = kind
        self.access = access
        self.region = region
        self.distance = distance


@dataclass
class TensorRegion:
    """The memory of one tensor.

    name: ("argument" or "scratch", index). valid: which bytes are elements; None means all. known:
    which bytes have been written; None if not tracked. filled: bytes not yet written hold a fill
    value that some other kernel must have stored, so reading one also counts as a store. start:
    address. loaded_bytes, stored_bytes: traffic so far.
    """

    name: tuple[str, int]
    size: int
    writable: bool
    valid: Bits | None = None
    known: Bits | None = None
    filled: bool = False
    start: int = 0
    loaded_bytes: int = 0
    stored_bytes: int = 0
    bytes: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))


class ReplayMemory:
    """All regions of one replay, laid out in one block with guards between them.

    undefined: number of loads with masked lanes and no `other` value.
    """

    def __init__(self, regions: Sequence[TensorRegion]) -> None:
        self.regions = list(regions)
        self.undefined = 0
        self.races = Races(kernel_place)
        offsets: list[int] = []
        end = GUARD_BYTES
        for region in self.regions:
            offsets.append(end)
            end += -(-region.size // _ALIGNMENT) * _ALIGNMENT + GUARD_BYTES
        self._block = np.zeros(end + _ALIGNMENT, np.uint8)
        first = -self._block.ctypes.data % _ALIGNMENT
        for region, offset in zip(self.regions, offsets, strict=True):
            region.start = self._block.ctypes.data + first + offset
            region.bytes = self._block[first + offset : first + offset + region.size]
        self._starts = np.array([r.start for r in self.regions], np.uint64)

    def load(self, addresses: Addresses, item: int) -> None:
        """Check and count a read of `item` bytes at each address. Raises MemoryFault."""
        for region, offsets in self._loaded(addresses, item):
            self.races.read(region, offsets, item)

    def store(self, addresses: Addresses, values: NDArray[Any]) -> None:
        """Check and count a write of one value to each address. Raises MemoryFault."""
        item = values.dtype.itemsize
        for region, offsets in self._stored(addresses, item):
            stored = _StoredPart(region, offsets, addresses, values)
            if (offset := stored.contradiction()) is not None:
                self.races.lanes(region, offset)
            self.races.write(region, offsets, item, stored.changes)

    def atomic(self, addresses: Addresses, item: int, *, reads: bool, writes: bool) -> None:
        """Check and count an atomic access that other programs see. Raises MemoryFault."""
        if reads:
            for region, offsets in self._loaded(addresses, item):
                if not writes:
                    self.races.atomic(region, offsets, item, writes=False)
        if writes:
            for region, offsets in self._stored(addresses, item):
                self.races.atomic(region, offsets, item, writes=True)

    def find(self, address: int) -> tuple[TensorRegion, int]:
        """Return the region nearest to an address, and the byte offset in it."""
        region = self.regions[int(self._owners(np.array([address], np.uint64))[0])]
        return region, address - region.start

    def _loaded(
        self, addresses: Addresses, item: int
    ) -> Generator[tuple[TensorRegion, NDArray[np.int64]]]:
        for region, offsets in self._split(addresses, item, "read"):
            self._require_known(region, offsets, item)
            region.loaded_bytes += len(offsets) * item
            yield region, offsets

    def _stored(
        self, addresses: Addresses, item: int
    ) -> Generator[tuple[TensorRegion, NDArray[np.int64]]]:
        for region, offsets in self._split(addresses, item, "write"):
            if not region.writable:
                raise MemoryFault("read_only", "write", region, 0)
            region.stored_bytes += len(offsets) * item
            if region.known is not None:
                region.known[_bytes_of(offsets, item)] = True
            yield region, offsets

    def _split(
        self, addresses: Addresses, item: int, access: str
    ) -> list[tuple[TensorRegion, NDArray[np.int64]]]:
        """Return the distinct addresses by region, as byte offsets.

        Raises MemoryFault if an address is outside the elements of its region.
        """
        distinct = np.unique(addresses)
        if not len(distinct):
            return []
        owners = self._owners(distinct)
        parts: list[tuple[TensorRegion, NDArray[np.int64]]] = []
        for index in np.unique(owners):
            region = self.regions[int(index)]
            start = np.uint64(region.start)
            offsets = (distinct[owners == index] - start).astype(np.int64)
            self._require_inside(region, offsets, item, access)
            parts.append((region, offsets))
        return parts

    def _owners(self, addresses: Addresses) -> NDArray[np.int64]:
        """Return each address's region index; half the guard on each side counts as the region."""
        half = np.uint64(GUARD_BYTES // 2)
        owners = np.searchsorted(self._starts - half, addresses, side="right") - 1
        return np.maximum(owners, 0)

    def _require_inside(
        self, region: TensorRegion, offsets: NDArray[np.int64], item: int, access: str
    ) -> None:
        before, past = -int(offsets.min()), int(offsets.max()) + item - region.size
        if before > 0 or past > 0:
            raise MemoryFault("outside", access, region, past if past > 0 else -before)
        if region.valid is not None and not region.valid[_bytes_of(offsets, item)].all():
            raise MemoryFault("gap", access, region, 0)

    def _require_known(self, region: TensorRegion, offsets: NDArray[np.int64], item: int) -> None:
        if region.known is None:
            return
        touched = _bytes_of(offsets, item)
        unknown = touched[~region.known[touched]]
        if not len(unknown):
            return
        if not region.filled:
            raise MemoryFault("uninitialized", "read", region, 0)
        region.stored_bytes += len(unknown)
        region.known[unknown] = True


class _StoredPart:
    """The part of a store that goes to one region. offsets: distinct and sorted, in bytes."""

    def __init__(
        self,
        region: TensorRegion,
        offsets: NDArray[np.int64],
        addresses: Addresses,
        values: NDArray[Any],
    ) -> None:
        self._region, self._offsets = region, offsets
        self._addresses = addresses.reshape(-1)
        self._bytes = np.ascontiguousarray(values.reshape(-1)).view(np.uint8)
        self._bytes = self._bytes.reshape(len(self._addresses), -1)

    def changes(self) -> Bits:
        """Return which offsets get other bytes than they hold."""
        where = self._offsets[:, None] + np.arange(self._bytes.shape[1])
        return (self._region.bytes[where] != self._bytes[self._lanes()]).any(axis=1)

    def contradiction(self) -> int | None:
        """Return an offset to which lanes write different bytes, or None."""
        if len(self._offsets) == len(self._addresses):
            return None
        order = np.argsort(self._addresses, kind="stable")
        places, stored = self._addresses[order], self._bytes[order]
        differ = (places[1:] == places[:-1]) & (stored[1:] != stored[:-1]).any(axis=1)
        offsets = places[1:][differ].astype(np.int64) - self._region.start
        inside = offsets[(offsets >= 0) & (offsets < self._region.size)]
        return int(inside[0]) if len(inside) else None

    def _lanes(self) -> NDArray[np.int64]:
        """Return the last lane that writes to each offset."""
        backwards = self._addresses[::-1]
        distinct, first = np.unique(backwards, return_index=True)
        places = np.searchsorted(distinct, (self._offsets + self._region.start).astype(np.uint64))
        return len(backwards) - 1 - first[places]


def kernel_frame() -> FrameType | None:
    """Return the frame of the kernel that runs now: the innermost one outside of Triton and us."""
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] - quick
    while frame is not None and not is_kernels(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def kernel_place() -> SourceLine:
    """Return the line of the kernel that runs now."""
    frame = kernel_frame()
    return SourceLine(frame.f_code.co_filename, frame.f_lineno) if frame else SourceLine("", 0)


def is_kernels(file: str) -> bool:
    """Return whether code of this file belongs to a kernel, not to what runs it."""
    known = _IS_KERNELS.get(file)
    if known is None:
        modules = (getattr(sys.modules.get(name), "__file__", None) for name in ("triton", "numpy"))
        packages = (str(Path(path).parent) for path in (__file__, *modules) if path)
        known = _IS_KERNELS[file] = not file.startswith((*packages, "<"))
    return known


_IS_KERNELS: dict[str, bool] = {}


def bytes_at(address: int, size: int) -> NDArray[np.uint8]:
    """Return memory of this process as an array."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def element_bytes(shape: Sequence[int], strides: Sequence[int], item: int) -> Bits:
    """Return which bytes of a strided tensor's extent are elements; strides are in elements."""
    last = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    used = np.zeros((last + 1, item), np.bool_)
    view: NDArray[Any] = np.lib.stride_tricks.as_strided(
        used, (*shape, item), (*(s * item for s in strides), 1)
    )
    view[...] = True
    return used.reshape(-1)


def _bytes_of(offsets: NDArray[np.int64], item: int) -> NDArray[np.int64]:
    return (offsets[:, None] + np.arange(item)).reshape(-1)
