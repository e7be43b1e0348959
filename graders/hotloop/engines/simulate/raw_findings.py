"""Findings as the checker stores them, and what is known of the launch that they come from."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hotloop.engines.simulate.report import ReportLine, Triple, Witness

BYTES = 4 * 4 + 2 * 16 + 2 * 4 + 4 * 4
"""Size of a finding in the checker's memory, in bytes: see checker.h."""

RACE, OUT_OF_BOUNDS, STACK_OVERFLOW = 0, 1, 12
"""Values of `kind` in checker.h."""
READS, UPDATES = 0, 2
"""Values of `did` in checker.h."""


@dataclass(frozen=True)
class MemoryRegion:
    """A region of memory, as messages describe it. allocated_at, freed_at: lines."""

    what: str
    begin: int
    bytes: int
    live: bool = True
    allocated_at: ReportLine | None = None
    freed_at: ReportLine | None = None


@dataclass(frozen=True)
class Raw:
    """A finding as the checker stores it.

    who: one or two tuples (site, did, block, thread). more: four numbers whose meaning depends on
    the kind.
    """

    kind: int
    kernel: int
    count: int
    who: tuple[tuple[int, ...], ...]
    address: int
    region: int
    more: tuple[int, ...]


def read(data: bytes) -> Raw:
    """Unpack a finding of BYTES bytes."""
    numbers = struct.unpack("<18I", data)
    who = (numbers[4:8], numbers[8:12])[: numbers[2]]
    return Raw(numbers[0], numbers[1], numbers[3], who, numbers[12], numbers[13], numbers[14:18])


@dataclass(frozen=True)
class FindingsContext:
    """The context that turns raw findings into messages.

    regions: by number. kernels: names by number. host: first address of host memory. dynamic:
    whether an address lies in dynamic shared memory although the launch asked for none.
    """

    lines: Callable[[int], ReportLine | None]
    regions: Sequence[MemoryRegion]
    kernels: Sequence[str]
    grid: Triple
    block: Triple
    host: int
    dynamic: Callable[[int], bool]

    def place(self, raw: Raw) -> MemoryRegion | None:
        """Return the region that a finding is about, or None if it is unknown."""
        return self.regions[raw.region - 1] if raw.region else None


def unflattened(number: int, extent: Triple) -> Triple:
    """Return the 3-D index of a block or thread from its linear number, x fastest."""
    x, y, _ = extent
    return number % x, number // x % y, number // x // y


Message = tuple[str, str, tuple[Witness, ...]]
"""Kind, text and further witnesses of a finding."""


def byte_of(reader: FindingsContext, raw: Raw) -> str:
    """Return which byte of which region a finding is about."""
    place = reader.place(raw)
    if place is None:
        return "memory"
    return f"byte {raw.address - place.begin} of {place.what}"
