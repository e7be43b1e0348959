"""The report of a compilation as plain data: each kernel's figures with explanations."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from hotloop.engines.nvcc import figures, occupancy
from hotloop.engines.nvcc.compile import Compiled, CompiledKernel
from hotloop.engines.nvcc.figures import Figure
from hotloop.engines.nvcc.sass import Code, SassAccess
from hotloop.engines.nvcc.toolchain import DISASSEMBLER_REMEDY

OCCUPANCY_SOURCE = (
    "CUDA C++ Programming Guide, Technical Specifications per Compute Capability; "
    "allocation units as in cuda_occupancy.h of the CUDA toolkit"
)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Occupied(_Model):
    """Theoretical occupancy. by: blocks that fit by each resource."""

    block: int
    blocks: int
    warps: int
    most_warps: int
    share: float
    limits: tuple[str, ...]
    by: dict[str, int]


class KernelReport(_Model):
    """One kernel for one GPU. occupancy: None for a GPU that is not in the table."""

    kernel: str
    symbol: str
    target: str
    registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    static_shared_bytes: int
    barriers: int
    occupancy: Occupied | None
    accesses: tuple[SassAccess, ...]
    accesses_from: Code
    figures: tuple[Figure, ...]


class CompileReport(_Model):
    """Report of a file that nvcc compiled."""

    file: str
    nvcc: str
    block: int
    dynamic_shared_bytes: int
    occupancy_source: str
    accesses_source: str
    kernels: tuple[KernelReport, ...]


def make(
    file: str, nvcc: str, compiled: Sequence[Compiled], block: int, dynamic_shared: int = 0
) -> CompileReport:
    """Build the report for blocks of `block` threads. dynamic_shared: bytes per block."""
    return CompileReport(
        file=file,
        nvcc=nvcc,
        block=block,
        dynamic_shared_bytes=dynamic_shared,
        occupancy_source=OCCUPANCY_SOURCE,
        accesses_source=_accesses_source(compiled),
        kernels=tuple(
            _kernel(kernel, target.code, block, dynamic_shared)
            for target in compiled
            for kernel in target.kernels
        ),
    )


def _kernel(kernel: CompiledKernel, code: Code, block: int, dynamic_shared: int) -> KernelReport:
    used = kernel.resources
    return KernelReport(
        kernel=used.name,
        symbol=used.symbol,
        target=f"sm_{used.capability}",
        registers=used.registers,
        spill_store_bytes=used.spill_store_bytes,
        spill_load_bytes=used.spill_load_bytes,
        stack_bytes=used.stack_bytes,
        static_shared_bytes=used.shared_bytes,
        barriers=used.barriers,
        occupancy=_occupied(figures.fits(kernel, block, dynamic_shared)),
        accesses=kernel.accesses,
        accesses_from=code,
        figures=tuple(figures.figures(kernel, block, dynamic_shared)),
    )


def _accesses_source(compiled: Sequence[Compiled]) -> str:
    if all(target.code == "SASS" for target in compiled):
        return "Widths of loads and stores are those of the machine code (SASS)."
    return (
        "Widths of loads and stores are those of PTX, and what is in functions that were not "
        f"inlined is missing; to read machine code: {DISASSEMBLER_REMEDY}"
    )


def _occupied(fit: occupancy.Occupancy | None) -> Occupied | None:
    if fit is None:
        return None
    return Occupied(
        block=fit.block,
        blocks=fit.blocks,
        warps=fit.warps,
        most_warps=fit.most_warps,
        share=round(fit.share, 4),
        limits=fit.limits,
        by=dict(fit.by),
    )
