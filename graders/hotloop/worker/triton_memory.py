"""The memory of a replayed kernel: where its tensors are, and the bytes that it loads and stores.

The interpreter calls `Memory.load` or `Memory.store` before each access. An access must stay inside
the elements of a known tensor, and its bytes are counted. Addresses that repeat within one access
count once, because a GPU fetches them once.
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
"""Gap between two tensors, so that a wrong index does not fall into another tensor."""

_ALIGNMENT = 4096


class MemoryFault(Exception):
    """An invalid memory access by a kernel.

    kind: "outside", "gap", "read_only" or "uninitialised". distance: bytes past the end of the
    region, negative before its start; 0 unless kind is "outside".
    """

    def __init__(self, kind: str, access: str, region: Region, distance: int) -> None:
        super().__init__(f"{access} {kind} {region.name}: {distance} bytes")
        self.kind = kind
        self.access = access
        self.region = region
        self.distance = distance


@dataclass
class Region:
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


class Memory:
    """All regions of one replay, laid out in one block with guards between them.

    undefined: number of loads with masked lanes and no `other` value.
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
        """Check and count a read of `item` bytes at each address. Raises MemoryFault."""
        for region, offsets in self._split(addresses, item, "read"):
            self._require_known(region, offsets, item)
            region.loaded_bytes += len(offsets) * item

    def store(self, addresses: Addresses, item: int) -> None:
        """Check and count a write of `item` bytes at each address. Raises MemoryFault."""
        for region, offsets in self._split(addresses, item, "write"):
            if not region.writable:
                raise MemoryFault("read_only", "write", region, 0)
            region.stored_bytes += len(offsets) * item
            if region.known is not None:
                region.known[_bytes_of(offsets, item)] = True

    def _split(
        self, addresses: Addresses, item: int, access: str
    ) -> list[tuple[Region, NDArray[np.int64]]]:
        """Return the distinct addresses by region, as byte offsets.

        Raises MemoryFault if an address is outside the elements of its region.
        """
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
        """Return each address's region index; half the guard on each side counts as the region."""
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
