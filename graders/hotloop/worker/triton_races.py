"""Races between the programs of one launch, found by happens-before.

The programs of a launch may run at the same time. Two accesses of one byte by two programs are a
race if at least one of them writes, not both are atomic, and no chain of a release and an acquire
orders them. Programs that write equal bytes to an address are no race until another program reads
them. Launches are ordered.

Each access is kept as one 64-bit number, an epoch: program, that program's clock, place in the
source and flags. A program's clock counts its releases. An access at clock c of program p happened
before what program q does now if q has acquired a release of p at clock c or later. Programs are
numbered on through all launches, so that epochs of earlier launches need not be cleared.

Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System" (CACM 21(7), 1978);
epochs as in Flanagan and Freund, "FastTrack" (PLDI 2009).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from hotloop.worker.triton_memory import Addresses, TensorRegion

Epochs = NDArray[np.int64]
Offsets = NDArray[np.int64]
Clocks = NDArray[np.int32]
Bits = NDArray[np.bool_]

_PROGRAM, _CLOCK, _PLACE = 36, 16, 2  # first bit of each field of an epoch
_ATOMIC, _WRITES = 1, 2  # flags
_CLOCKS, _PLACES = (1 << 20) - 1, (1 << 14) - 1  # largest value of each field

CLOCK_BYTES = 128 << 20
"""Memory for what has been released. If there are too many addresses for it, several share one
entry, which orders more than the kernel does, so that a race may be missed."""


class SourceLine(NamedTuple):
    """A line of a source file."""

    file: str
    line: int


class RaceAccess(NamedTuple):
    """One side of a race. program: its number in the launch."""

    program: int
    place: SourceLine
    writes: bool
    atomic: bool


@dataclass(frozen=True)
class RaceReport:
    """The first race of a replay.

    offset: the byte in the region. first, second: the accesses in the order in which they ran; None
    for `first` if lanes of one store write different values.
    """

    region: TensorRegion
    offset: int
    first: RaceAccess | None
    second: RaceAccess


@dataclass
class _Shadow:
    """The last accesses of a region, one entry per granule.

    A granule is the largest number of bytes such that every access so far covers whole granules.
    The slots by name: `write`, `read` and `atomic`, the last ones of plain writes, plain reads and
    atomics; `write2` (of equal bytes), `read2` and `atomic2`, an earlier one that nothing orders
    before it, so that an access after only one of the two is found.
    """

    size: int
    granule: int
    slots: dict[str, Epochs] = field(default_factory=dict[str, Epochs])

    def slot(self, name: str) -> Epochs:
        if name not in self.slots:
            self.slots[name] = np.zeros(-(-self.size // self.granule), np.int64)
        return self.slots[name]

    def granules(self, offsets: Offsets, item: int) -> Offsets:
        """Return the granules of accesses of `item` bytes; make granules smaller if needed."""
        while item % self.granule or (offsets % self.granule).any():
            half = 1 if self.granule % 2 else self.granule // 2
            for name, epochs in self.slots.items():
                parts = np.repeat(epochs, self.granule // half)
                self.slots[name] = parts[: -(-self.size // half)]
            self.granule = half
        first = offsets // self.granule
        each = item // self.granule
        return first if each == 1 else (first[:, None] + np.arange(each)).reshape(-1)


class Races:
    """Watches the accesses to memory that a launch may write. race: the first one.

    here: returns the kernel's line that runs now.
    """

    def __init__(self, here: Callable[[], SourceLine]) -> None:
        self.race: RaceReport | None = None
        self.program = 0
        """Number of the program that runs now."""
        self._here = here
        self._places: dict[SourceLine, int] = {}
        self._shadows: dict[int, _Shadow] = {}
        self._base, self._count = 1, 0
        self.start_launch(1)

    def start_launch(self, programs: int) -> None:
        """Begin a launch: whatever ran before happened before it."""
        self._base += self._count
        self._count = programs
        self._clocks: Clocks = np.ones(programs, np.int32)
        self._acquired: dict[int, Clocks] = {}  # by program
        self._released: dict[int, Clocks] = {}  # by address
        self._entries = max(64, CLOCK_BYTES // (4 * max(1, programs)))
        self.program = 0

    def end_program(self) -> None:
        """Forget what the current program has acquired: it does nothing more."""
        self._acquired.pop(self.program, None)

    # --- accesses; `offsets` are the distinct addresses as byte offsets in the region -------------

    def read(self, region: TensorRegion, offsets: Offsets, item: int) -> None:
        """A plain read."""
        shadow = self._shadow(region, item)
        if shadow is None:
            return
        at = shadow.granules(offsets, item)
        now = self._epoch(0)
        for name in ("write", "write2"):
            self._check(region, shadow, name, at, now)
        for name in ("atomic", "atomic2"):
            self._check(region, shadow, name, at, now, only=_WRITES)
        if "write" in shadow.slots:
            # A program that reads back what it wrote adds nothing to its write.
            at = at[(shadow.slots["write"][at] >> _CLOCK) != (now >> _CLOCK)]
        self._keep(shadow, "read", at, now)

    def write(
        self, region: TensorRegion, offsets: Offsets, item: int, changed: Callable[[], Bits]
    ) -> None:
        """A plain write. changed: returns which offsets get other bytes than they hold."""
        shadow = self._shadow(region, item)
        if shadow is None:
            return
        at = shadow.granules(offsets, item)
        now = self._epoch(_WRITES)
        for name in ("read", "read2", "atomic", "atomic2"):
            self._check(region, shadow, name, at, now)
        for name in ("write", "write2"):
            writes = shadow.slot(name)[at] if name in shadow.slots else np.zeros(len(at), np.int64)
            others = self._unordered(writes)
            if others.any():
                others &= np.repeat(changed(), item // shadow.granule)
                self._blame(region, shadow, writes, others, at, now)
        self._keep(shadow, "write", at, now)

    def atomic(self, region: TensorRegion, offsets: Offsets, item: int, *, writes: bool) -> None:
        """An atomic access of other programs' scope."""
        shadow = self._shadow(region, item)
        if shadow is None:
            return
        at = shadow.granules(offsets, item)
        now = self._epoch(_ATOMIC | (_WRITES if writes else 0))
        for name in ("write", "write2", *(("read", "read2") if writes else ())):
            self._check(region, shadow, name, at, now)
        self._keep(shadow, "atomic", at, now)

    def lanes(self, region: TensorRegion, offset: int) -> None:
        """Lanes of one store write different values to one address."""
        if self.race is None:
            here = RaceAccess(self.program, self._here(), writes=True, atomic=False)
            self.race = RaceReport(region, offset, None, here)

    # --- order ------------------------------------------------------------------------------------

    def acquire(self, addresses: Addresses) -> None:
        """Learn what was released at these addresses."""
        released = [self._released[e] for e in self._flags(addresses) if e in self._released]
        for clocks in {id(each): each for each in released}.values():
            known = self._acquired.get(self.program)
            self._acquired[self.program] = clocks if known is None else np.maximum(known, clocks)

    def release(self, addresses: Addresses) -> None:
        """Publish at these addresses what the current program did and learned."""
        if not len(addresses):
            return
        known = self._acquired.get(self.program)
        known = np.zeros(self._count, np.int32) if known is None else known.copy()
        known[self.program] = self._clocks[self.program]
        # What many addresses have in common is kept once: a vector of flags, a tile of sums.
        joined: dict[int, tuple[Clocks | None, Clocks]] = {id(None): (None, known)}
        for entry in self._flags(addresses):
            before = self._released.get(entry)
            if before is not None and id(before) not in joined:
                joined[id(before)] = before, np.maximum(before, known)
            self._released[entry] = joined[id(before)][1]
        self._clocks[self.program] += 1

    def _flags(self, addresses: Addresses) -> list[int]:
        return np.unique(addresses // np.uint64(2) % np.uint64(self._entries)).tolist()

    # --- the rest ---------------------------------------------------------------------------------

    def _shadow(self, region: TensorRegion, item: int) -> _Shadow | None:
        """None for a region that no program can write."""
        if not region.writable:
            return None
        if region.start not in self._shadows:
            self._shadows[region.start] = _Shadow(region.size, item)
        return self._shadows[region.start]

    def _epoch(self, flags: int) -> int:
        place = self._places.setdefault(self._here(), min(len(self._places), _PLACES))
        clock = min(int(self._clocks[self.program]), _CLOCKS)
        program = self._base + self.program
        return (program << _PROGRAM) | (clock << _CLOCK) | (place << _PLACE) | flags

    def _unordered(self, epochs: Epochs) -> Bits:
        """Which accesses are by other programs of this launch and not ordered before now."""
        program = (epochs >> _PROGRAM) - self._base
        others = (program >= 0) & (program != self.program)
        known = self._acquired.get(self.program)
        if known is None or not others.any():
            return others
        clock = (epochs >> _CLOCK) & _CLOCKS
        return others & (clock > known[np.where(others, program, 0)])

    def _check(
        self, region: TensorRegion, shadow: _Shadow, name: str, at: Offsets, now: int, only: int = 0
    ) -> None:
        """Report accesses of a slot that race with the current one; `only` those with this flag."""
        if name not in shadow.slots:
            return
        epochs = shadow.slots[name][at]
        racing = self._unordered(epochs)
        if only:
            racing &= (epochs & only) > 0
        self._blame(region, shadow, epochs, racing, at, now)

    def _blame(
        self,
        region: TensorRegion,
        shadow: _Shadow,
        epochs: Epochs,
        racing: Bits,
        at: Offsets,
        now: int,
    ) -> None:
        if self.race is not None or not racing.any():
            return
        first = int(np.flatnonzero(racing)[0])
        offset = int(at[first]) * shadow.granule
        accesses = self._access(int(epochs[first])), self._access(now)
        self.race = RaceReport(region, offset, *accesses)

    def _access(self, epoch: int) -> RaceAccess:
        number = (epoch >> _PLACE) & _PLACES
        place = next(place for place, known in self._places.items() if known == number)
        program = (epoch >> _PROGRAM) - self._base
        return RaceAccess(program, place, bool(epoch & _WRITES), bool(epoch & _ATOMIC))

    def _keep(self, shadow: _Shadow, name: str, at: Offsets, now: int) -> None:
        """Put an access into its slot, and the one that was there beside it if unordered."""
        slot = shadow.slot(name)
        old = slot[at]
        beside = self._unordered(old)
        if beside.any():
            second = shadow.slot(f"{name}2")
            earlier = second[at[beside]]
            second[at[beside]] = np.where(self._unordered(earlier), earlier, old[beside])
        slot[at] = now
