"""`hotloop cuda compile`: compile a CUDA file with nvcc, for GPUs that this machine may lack."""

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult, log, require_linux
from hotloop.cli.cuda.programs import Define, Include
from hotloop.core.user_error import UserError
from hotloop.engines.nvcc import report, toolchain
from hotloop.engines.nvcc.compile import CAPABILITIES, TIMEOUT_S, compile_files
from hotloop.engines.nvcc.occupancy import MAX_BLOCK
from hotloop.engines.nvcc.report import CompileReport, KernelReport


def run(
    source: Annotated[
        Path,
        typer.Argument(help="A CUDA source, as nvcc would take it.", exists=True, dir_okay=False),
    ],
    arch: Annotated[
        list[str] | None,
        typer.Option(help="Compute capability, such as 90; repeat for more. Default: 75, 80, 90."),
    ] = None,
    block: Annotated[
        int, typer.Option(help="Threads of a block, for the occupancy.", min=1, max=MAX_BLOCK)
    ] = 256,
    dynamic_shared: Annotated[
        int, typer.Option(help="Bytes of shared memory that the launch asks for.", min=0)
    ] = 0,
    include: Include = None,
    define: Define = None,
    timeout: Annotated[
        int, typer.Option(help="Seconds until nvcc is stopped, for each GPU.", min=1)
    ] = int(TIMEOUT_S),
) -> CommandResult:
    """Compile with nvcc; explain registers, occupancy and loads.

    And spills and shared memory.
    """
    require_linux("nvcc")
    capabilities = [_capability(text) for text in arch or ()] or CAPABILITIES
    tools = toolchain.find()
    compiled = compile_files(
        source,
        tools,
        capabilities,
        include=include or [],
        defines=define or [],
        timeout_s=timeout,
        on_progress=log,
    )
    result = report.make(str(source), tools.version(), compiled, block, dynamic_shared)
    if not result.kernels:
        raise UserError(
            f"{source} compiles, but there is no kernel in the machine code: "
            "a template becomes one only where it is launched or instantiated."
        )
    return CommandResult(result.model_dump(mode="json"), *_shown(result))


def _capability(text: str) -> int:
    match = re.fullmatch(r"(?:sm_)?(\d{2,3})", text)
    if match is None:
        raise UserError(f"{text!r} is no compute capability: give it as 90 or sm_90.")
    return int(match[1])


def _shown(result: CompileReport) -> list[RenderableType]:
    shown: list[RenderableType] = [_table(result)]
    newest = result.kernels[-1].target
    shown.extend(_explained(kernel) for kernel in result.kernels if kernel.target == newest)
    shown.append(Text(result.accesses_source))
    return shown


def _table(result: CompileReport) -> Table:
    columns = ("kernel", "GPU", "registers", "spilled", "stack", "shared", "occupancy", "load")
    table = Table(*columns, "store")
    for column in table.columns[2:]:
        column.justify = "right"
    for kernel in result.kernels:
        fit = kernel.occupancy
        table.add_row(
            Text(kernel.kernel),
            kernel.target,
            str(kernel.registers),
            f"{kernel.spill_store_bytes} B",
            f"{kernel.stack_bytes} B",
            f"{kernel.static_shared_bytes} B",
            "?" if fit is None else f"{fit.share:.0%}",
            _widths(kernel, "load"),
            _widths(kernel, "store"),
        )
    return table


def _widths(kernel: KernelReport, did: str) -> str:
    widths = [str(a.bytes) for a in kernel.accesses if a.did == did]
    return f"{'/'.join(widths)} B" if widths else "–"


def _explained(kernel: KernelReport) -> Text:
    text = Text()
    text.append(f"{kernel.kernel} on {kernel.target}", style="bold")
    for figure in kernel.figures:
        text.append(f"\n  {figure.name}: ", style="cyan")
        text.append(figure.sentence)
    return text
