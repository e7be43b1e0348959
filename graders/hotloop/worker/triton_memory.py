"""The memory of a replayed kernel: where its tensors lie, and what it moves from and to them.

Every access of the interpreter comes through `Memory.load` and `Memory.store` before it happens.
Each must stay inside the elements of a known tensor; what it moves is counted. Addresses that
repeat within one access count once, because a GPU fetches them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]
Addresses = NDArray[np.uint64]

GUARD_BYTES = 1 << 20
"""Between two tensors, so that a wrong index does not land in a neighbour."""

_ALIGNMENT = 4096


class MemoryFault(Exception):
    """A kernel touched what it may not. kind: "outside", "gap", "read_only" or "uninitialised"."""

    def __init__(self, kind: str, access: str, region: Region, distance: int) -> None:
        super().__init__(f"{access} {kind} {region.name}: {distance} bytes")
        self.kind = kind
        self.access = access
        self.region = region
        self.distance = distance


@dataclass
class Region:
    """One tensor's memory.

    name: ("argument" or "scratch", index). valid: which bytes are elements; None means all.
    known: which bytes hold a value; None where that is not watched. filled: unknown bytes hold a
    fill that some other kernel must have stored, so that reading one counts as a store.
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


class Memory:
    """All regions of one replay, laid out in one block with guards between them.

    undefined: how many loads left out lanes for which they name no value.
    """

    def __init__(self, regions: Sequence[Region]) -> None:
        self.regions = list(regions)
        self.undefined = 0
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
        """Check and count a read of `item` bytes at each address."""
        for region, offsets in self._split(addresses, item, "read"):
            self._require_known(region, offsets, item)
            region.loaded_bytes += len(offsets) * item

    def store(self, addresses: Addresses, item: int) -> None:
        """Check and count a write of `item` bytes at each address."""
        for region, offsets in self._split(addresses, item, "write"):
            if not region.writable:
                raise MemoryFault("read_only", "write", region, 0)
            region.stored_bytes += len(offsets) * item
            if region.known is not None:
                region.known[_bytes_of(offsets, item)] = True

    def _split(
        self, addresses: Addresses, item: int, access: str
    ) -> list[tuple[Region, NDArray[np.int64]]]:
        """Distinct addresses by region, as offsets. MemoryFault for one that is in none."""
        distinct = np.unique(addresses)
        if not len(distinct):
            return []
        owners = self._owners(distinct)
        parts: list[tuple[Region, NDArray[np.int64]]] = []
        for index in np.unique(owners):
            region = self.regions[int(index)]
            start = np.uint64(region.start)
            offsets = (distinct[owners == index] - start).astype(np.int64)
            self._require_inside(region, offsets, item, access)
            parts.append((region, offsets))
        return parts

    def _owners(self, addresses: Addresses) -> NDArray[np.int64]:
        """For each address the region whose guarded space it lies in."""
        half = np.uint64(GUARD_BYTES // 2)
        found = np.searchsorted(self._starts - half, addresses, side="right") - 1
        return np.maximum(found, 0)

    def _require_inside(
        self, region: Region, offsets: NDArray[np.int64], item: int, access: str
    ) -> None:
        before, past = -int(offsets.min()), int(offsets.max()) + item - region.size
        if before > 0 or past > 0:
            raise MemoryFault("outside", access, region, past if past > 0 else -before)
        if region.valid is not None and not region.valid[_bytes_of(offsets, item)].all():
            raise MemoryFault("gap", access, region, 0)

    def _require_known(self, region: Region, offsets: NDArray[np.int64], item: int) -> None:
        if region.known is None:
            return
        touched = _bytes_of(offsets, item)
        unknown = touched[~region.known[touched]]
        if not len(unknown):
            return
        if not region.filled:
            raise MemoryFault("uninitialised", "read", region, 0)
        region.stored_bytes += len(unknown)
        region.known[unknown] = True


def element_bytes(shape: Sequence[int], strides: Sequence[int], item: int) -> Bits:
    """Which bytes of a strided tensor's extent are elements; strides are in elements."""
    last = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    used = np.zeros((last + 1, item), np.bool_)
    view: NDArray[Any] = np.lib.stride_tricks.as_strided(
        used, (*shape, item), (*(s * item for s in strides), 1)
    )
    view[...] = True
    return used.reshape(-1)


def _bytes_of(offsets: NDArray[np.int64], item: int) -> NDArray[np.int64]:
    return (offsets[:, None] + np.arange(item)).reshape(-1)
