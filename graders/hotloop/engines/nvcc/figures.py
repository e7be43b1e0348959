"""Explains each figure of a compiled kernel in a sentence: value, meaning, what to do."""

from dataclasses import dataclass

from hotloop.engines.nvcc.compile import CompiledKernel
from hotloop.engines.nvcc.occupancy import REGISTERS, WARP, Occupancy, occupancy
from hotloop.engines.nvcc.sass import Did, SassAccess, widest

VECTOR_BYTES = 16
"""The widest load of every GPU in the table: a float4."""

_LOW = 0.5
_MOST_REGISTERS = 255


@dataclass(frozen=True)
class Figure:
    """A figure with its explanation."""

    name: str
    value: int | float
    sentence: str


def fits(kernel: CompiledKernel, block: int, dynamic_shared: int = 0) -> Occupancy | None:
    """Return the occupancy for blocks of `block` threads.

    dynamic_shared: bytes. Returns None for a GPU that is not in the table.
    """
    resources = kernel.resources
    shared = resources.shared_bytes + dynamic_shared
    return occupancy(resources.capability, block, resources.registers, shared, resources.barriers)


def figures(kernel: CompiledKernel, block: int, dynamic_shared: int = 0) -> list[Figure]:
    """Return all figures, in the order in which to read them."""
    fit = fits(kernel, block, dynamic_shared)
    return [
        _registers(kernel, block),
        _spills(kernel),
        _stack(kernel),
        _shared(kernel, dynamic_shared),
        *([_occupancy(fit)] if fit is not None else []),
        _accesses(kernel, "load"),
        _accesses(kernel, "store"),
    ]


def _registers(kernel: CompiledKernel, block: int) -> Figure:
    count = kernel.resources.registers
    text = f"{count} registers hold the values of each thread ({_MOST_REGISTERS} are the most); "
    free = occupancy(kernel.resources.capability, block, 0)
    alone = occupancy(kernel.resources.capability, block, count)
    if free is None or alone is None:
        text += "fewer let more threads onto a multiprocessor."
    elif alone.by["registers"] >= free.blocks:
        text += f"with {block} threads a block they keep no block out, so leave them as they are."
    else:
        text += (
            f"with {block} threads a block, {REGISTERS:,} for all leave room for "
            f"{_blocks(alone.by['registers'])} where {free.blocks} could be: keep fewer values "
            "alive at a time if occupancy is what you lack."
        )
    return Figure("registers", count, text)


def _spills(kernel: CompiledKernel) -> Figure:
    used = kernel.resources
    if not used.spill_bytes:
        text = "Nothing spills: every value that should be in a register is in one."
        return Figure("spill_bytes", 0, text)
    text = (
        f"Registers ran out: {used.spill_store_bytes} bytes are spilled to memory and "
        f"{used.spill_load_bytes} loaded again in each thread, which is traffic that the task does "
        "not need. Unroll less, keep fewer values alive, or allow more registers "
        "(__launch_bounds__ with fewer threads or blocks)."
    )
    return Figure("spill_bytes", used.spill_bytes, text)


def _stack(kernel: CompiledKernel) -> Figure:
    size = kernel.resources.stack_bytes
    if not size:
        return Figure("stack_bytes", 0, "No thread keeps anything on a stack in memory.")
    text = (
        f"Each thread has a stack of {size} bytes in memory, most often for an array that is "
        "indexed by a variable or for spills: index it by constants (unroll the loop), and it can "
        "stay in registers."
    )
    return Figure("stack_bytes", size, text)


def _shared(kernel: CompiledKernel, dynamic: int) -> Figure:
    size = kernel.resources.shared_bytes
    text = f"Each block declares {size:,} bytes of shared memory"
    if dynamic:
        text += f" and is launched with {dynamic:,} more"
    text += (
        ": all blocks on a multiprocessor share what it has, so a smaller tile lets more of them "
        "in; what is asked for at the launch is not known to the compiler."
        if size or dynamic
        else "; what is asked for at the launch is not known to the compiler."
    )
    return Figure("shared_bytes", size, text)


def _occupancy(fit: Occupancy) -> Figure:
    if fit.blocks == 0:
        text = (
            f"A block of {fit.block} threads cannot be launched: too much of "
            f"{' and '.join(fit.limits)}. Use fewer threads a block or less of it."
        )
        return Figure("occupancy", 0.0, text)
    text = (
        f"{_blocks(fit.blocks)} of {fit.block} threads {'fits' if fit.blocks == 1 else 'fit'} on a "
        f"multiprocessor at once: {fit.warps} of {fit.most_warps} warps, limited by "
        f"{' and '.join(fit.limits)}. "
    )
    text += (
        "Few warps hide little of the memory's latency: use less of what limits them."
        if fit.share < _LOW
        else "More is not always faster, so measure before you trade anything for it."
    )
    return Figure("occupancy", round(fit.share, 4), text)


def _accesses(kernel: CompiledKernel, did: Did) -> Figure:
    own = [access for access in kernel.accesses if access.did == did]
    name = f"{did}_bytes"
    if not own:
        return Figure(name, 0, f"No {did} of global memory was found.")
    most = widest(kernel.accesses, did)
    text = f"One instruction {did}s {' or '.join(map(_width, own))} of global memory a thread"
    if most >= VECTOR_BYTES:
        text += f": at the widest, a warp moves {WARP * most} at a time, and wider is not needed."
    else:
        text += (
            f": where addresses are multiples of {VECTOR_BYTES} bytes, a float4 {did}s "
            f"{VECTOR_BYTES} at once, which takes {VECTOR_BYTES // most} times fewer instructions."
        )
    return Figure(name, most, text)


def _width(access: SassAccess) -> str:
    size = f"{access.bytes} byte{'s' if access.bytes > 1 else ''}"
    lines = ", ".join(map(str, access.lines[:4])) + (", …" if len(access.lines) > 4 else "")
    return f"{size} (line{'s' if len(access.lines) > 1 else ''} {lines})" if lines else size


def _blocks(count: int) -> str:
    return "1 block" if count == 1 else f"{count} blocks"
