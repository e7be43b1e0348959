"""A model of PyTorch's caching allocator: what it reserves, and when it must ask the driver.

Sizes and rules are those of c10/cuda/CUDACachingAllocator.cpp; one stream, no garbage collection.
"""

from __future__ import annotations

from dataclasses import dataclass, field

KIB, MIB = 1 << 10, 1 << 20
ROUND = 512  # every size is a multiple of it
SMALL = MIB  # up to here tensors share segments of 2 MiB
MIN_LARGE = 10 * MIB  # from here on a segment is made to measure, in steps of 2 MiB


class OutOfMemory(Exception):
    """The driver has no more, and nothing cached could be given back."""


@dataclass
class Block:
    """A part of a segment."""

    size: int
    small: bool
    used: bool = False


@dataclass
class Allocator:
    """capacity: what the driver has. expandable: one segment a pool, that grows."""

    capacity: int = 1 << 40
    expandable: bool = False
    segments: list[list[Block]] = field(default_factory=list[list[Block]])
    driver_calls: int = 0

    @property
    def reserved(self) -> int:
        """What the driver has handed out: nvidia-smi shows this, and the CUDA context."""
        return sum(block.size for segment in self.segments for block in segment)

    @property
    def allocated(self) -> int:
        """What tensors use."""
        return sum(b.size for segment in self.segments for b in segment if b.used)

    def malloc(self, size: int) -> Block:
        """The smallest free block that fits, or a new segment."""
        size = -(-size // ROUND) * ROUND
        small = size <= SMALL
        segment, block = self._find(size, small) or self._grow(size, small)
        rest = block.size - size
        if rest >= (ROUND if small else SMALL + 1):
            segment.insert(segment.index(block) + 1, Block(rest, small))
            block.size = size
        block.used = True
        return block

    def free(self, block: Block) -> None:
        """Back to the cache, merged with free neighbors. The driver is not told."""
        block.used = False
        for segment in self.segments:
            if any(other is block for other in segment):
                _merge(segment)

    def _find(self, size: int, small: bool) -> tuple[list[Block], Block] | None:
        fitting = [
            (block.size, index, segment, block)
            for index, segment in enumerate(self.segments)
            for block in segment
            if not block.used and block.small is small and block.size >= size
        ]
        return min(fitting, key=lambda f: f[:2])[2:] if fitting else None

    def _grow(self, size: int, small: bool) -> tuple[list[Block], Block]:
        unit = 2 * MIB if small else 20 * MIB
        if self.expandable:
            return self._extend(size, small, unit)
        made_to_measure = -(-size // (2 * MIB)) * 2 * MIB
        self._ask(made_to_measure if size >= MIN_LARGE else unit)
        segment = [Block(made_to_measure if size >= MIN_LARGE else unit, small)]
        self.segments.append(segment)
        return segment, segment[0]

    def _extend(self, size: int, small: bool, unit: int) -> tuple[list[Block], Block]:
        """Map more pages behind the segment's end; a free block there is part of the result."""
        segment = next((s for s in self.segments if s[0].small is small), None)
        if segment is None:
            segment = []
            self.segments.append(segment)
        at_end = segment[-1].size if segment and not segment[-1].used else 0
        missing = -(-(size - at_end) // unit) * unit
        self._ask(missing)
        segment.append(Block(missing, small))
        _merge(segment)
        return segment, segment[-1]

    def _ask(self, size: int) -> None:
        self.driver_calls += 1
        if self.reserved + size <= self.capacity:
            return
        idle = [s for s in self.segments if not any(block.used for block in s)]
        self.driver_calls += len(idle)  # cudaFree waits for the device
        self.segments = [s for s in self.segments if s not in idle]
        if self.reserved + size > self.capacity:
            raise OutOfMemory


def _merge(segment: list[Block]) -> None:
    at = 0
    while at + 1 < len(segment):
        if segment[at].used or segment[at + 1].used:
            at += 1
        else:
            segment[at].size += segment.pop(at + 1).size


def show(what: str, allocator: Allocator) -> None:
    """One line."""
    print(
        f"{what:46} in tensors {allocator.allocated / MIB:6.1f} MiB, reserved "
        f"{allocator.reserved / MIB:6.1f} MiB, driver asked {allocator.driver_calls} times"
    )


def steps(allocator: Allocator, sizes: list[int]) -> None:
    """One tensor a step, freed at its end."""
    for size in sizes:
        allocator.free(allocator.malloc(size * MIB))


def holes(allocator: Allocator) -> None:
    """Every second tensor stays alive; the next one is larger than any hole."""
    blocks = [allocator.malloc(9 * MIB) for _ in range(10)]
    for block in blocks[::2]:
        allocator.free(block)
    show("every second tensor of 9 MiB freed", allocator)
    assert allocator.reserved - allocator.allocated == 55 * MIB
    try:
        allocator.malloc(12 * MIB)
    except OutOfMemory:
        kind = "expandable" if allocator.expandable else "ordinary"
        print(f"  {kind} segments: 55 MiB free, and no room for 12 MiB")
    else:
        raise AssertionError("nothing moves, so that no hole can be that large")


def main() -> None:
    """Rounding, reuse, growth, and growth at the limit."""
    one = Allocator()
    one.malloc(3 * MIB)
    show("one tensor of 3 MiB", one)
    assert one.reserved == 20 * MIB

    same = Allocator()
    steps(same, [100] * 50)
    show("50 steps of 100 MiB, nothing alive now", same)
    assert (same.driver_calls, same.allocated, same.reserved) == (1, 0, 100 * MIB)

    sizes = list(range(100, 200, 10))
    growing, expandable = Allocator(), Allocator(expandable=True)
    steps(growing, sizes)
    steps(expandable, sizes)
    show("10 steps of 100, 110, ... 190 MiB", growing)
    show("the same with expandable segments", expandable)
    assert growing.reserved == sum(sizes) * MIB, "no cached block was ever large enough"
    assert expandable.reserved == 200 * MIB

    tight = Allocator(capacity=250 * MIB)
    steps(tight, sizes)
    show("the same on a GPU of 250 MiB", tight)
    assert tight.driver_calls > 1.5 * len(sizes), "free everything, ask again: thrash"

    for expandable in (False, True):
        holes(Allocator(capacity=100 * MIB, expandable=expandable))


if __name__ == "__main__":
    main()
