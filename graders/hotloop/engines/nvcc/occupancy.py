"""Computes occupancy: how many threads of a kernel fit on an SM at once, and what limits them.

Limits: CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability".
Allocation units and arithmetic: cuda_occupancy.h of the CUDA toolkit, NVIDIA's occupancy calculator
as a header; the tests compare with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

WARP = 32
MAX_BLOCK = 1024
REGISTERS = 65536
"""32-bit registers of an SM; one block may use all of them."""

_QUARTERS = 4
"""An SM has four partitions, each with a scheduler and a quarter of the registers."""

_REGISTER_UNIT = 256
"""Registers are allocated to a warp in units of this size."""

_KIB = 1024


@dataclass(frozen=True)
class Multiprocessor:
    """Limits of one SM of a compute capability.

    shared_bytes: for all blocks together. block_shared_bytes: for one block, with opt-in to more
    than 48 KiB. reserved_bytes: taken from every block by the system. shared_unit: allocation unit
    of shared memory in bytes. barriers: for all blocks together; None if they are never the limit.
    """

    warps: int
    blocks: int
    shared_bytes: int
    block_shared_bytes: int
    reserved_bytes: int
    shared_unit: int
    barriers: int | None


def _since_ampere(
    warps: int, blocks: int, shared_kib: int, barriers: int | None = None
) -> Multiprocessor:
    return Multiprocessor(
        warps, blocks, shared_kib * _KIB, (shared_kib - 1) * _KIB, _KIB, 128, barriers
    )


MULTIPROCESSORS: Mapping[int, Multiprocessor] = {
    75: Multiprocessor(32, 16, 64 * _KIB, 64 * _KIB, 0, 256, None),
    80: _since_ampere(64, 32, 164),
    86: _since_ampere(48, 16, 100),
    87: _since_ampere(48, 16, 164),
    89: _since_ampere(48, 24, 100),
    90: _since_ampere(64, 32, 228, barriers=64),
    100: _since_ampere(64, 32, 228, barriers=64),
    120: _since_ampere(48, 24, 100, barriers=24),
}
"""Limits by compute capability times 10: 90 means 9.0."""


@dataclass(frozen=True)
class Occupancy:
    """Occupancy of a kernel. by: how many blocks fit on an SM by each resource."""

    capability: int
    block: int
    by: Mapping[str, int]

    @property
    def blocks(self) -> int:
        """Blocks resident on an SM: the minimum over resources. 0 if a block cannot be launched."""
        return min(self.by.values())

    @property
    def warps(self) -> int:
        """Warps resident on an SM."""
        return self.blocks * _warps(self.block)

    @property
    def most_warps(self) -> int:
        """Most warps that an SM can hold."""
        return MULTIPROCESSORS[self.capability].warps

    @property
    def share(self) -> float:
        """Theoretical occupancy, 0 to 1."""
        return self.warps / self.most_warps

    @property
    def limits(self) -> tuple[str, ...]:
        """The resources that prevent another block."""
        return tuple(name for name, blocks in self.by.items() if blocks == self.blocks)


def occupancy(
    capability: int, block: int, registers: int, shared_bytes: int = 0, barriers: int = 0
) -> Occupancy | None:
    """Return the occupancy for blocks of `block` threads.

    registers: per thread. shared_bytes: static and dynamic together. barriers: per block. Returns
    None for a compute capability that is not in the table. Raises ValueError if `block` is less
    than 1.
    """
    if block < 1:
        raise ValueError(f"a block has at least one thread, not {block}")
    sm = MULTIPROCESSORS.get(capability)
    if sm is None:
        return None
    by = {
        "threads": sm.warps // _warps(block) if block <= MAX_BLOCK else 0,
        "blocks": sm.blocks,
        "registers": _by_registers(block, registers),
        "shared memory": _by_shared_memory(sm, shared_bytes),
        "barriers": sm.barriers // barriers if sm.barriers is not None and barriers else sm.blocks,
    }
    return Occupancy(capability, block, {n: min(count, sm.blocks) for n, count in by.items()})


def _by_registers(block: int, registers: int) -> int:
    if registers == 0:
        return MULTIPROCESSORS[80].blocks
    warp_registers = _up(registers * WARP, _REGISTER_UNIT)
    # The hardware checks a launch as if its warps were spread evenly over the four partitions.
    if warp_registers * _up(_warps(block), _QUARTERS) > REGISTERS:
        return 0
    warps = REGISTERS // _QUARTERS // warp_registers * _QUARTERS
    return warps // _warps(block)


def _by_shared_memory(sm: Multiprocessor, requested: int) -> int:
    if requested > sm.block_shared_bytes:
        return 0
    allocated = _up(requested + sm.reserved_bytes, sm.shared_unit)
    return sm.shared_bytes // allocated if allocated else sm.blocks


def _warps(block: int) -> int:
    return -(-block // WARP)


def _up(size: int, unit: int) -> int:
    return -(-size // unit) * unit
