"""`hotloop cuda run`: run a CUDA C++ program without a GPU, or check it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, log, require
from hotloop.cli.cuda import checking
from hotloop.cli.cuda.programs import Define, Include, as_data, shown
from hotloop.core.user_error import UserError
from hotloop.engines.simulate.orders import TIMEOUT_S


def run(
    sources: Annotated[
        list[Path],
        typer.Argument(
            help="One or more CUDA sources, as nvcc would take them.", exists=True, dir_okay=False
        ),
    ],
    include: Include = None,
    define: Define = None,
    arg: Annotated[
        list[str] | None, typer.Option(help="An argument of the program; repeat for more.")
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Check every access, in several orders. Exit code 0 when it is clean."
        ),
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option(help="Check, and write the figures of each line to this SVG file."),
    ] = None,
    order: Annotated[
        str,
        typer.Option(help="Of threads: forward, reverse or random:SEED.", show_default="forward"),
    ] = "",
    timeout: Annotated[
        int, typer.Option(help="Seconds until a run is stopped.", min=1)
    ] = TIMEOUT_S,
) -> CommandResult:
    """Run a program, or check it; its exit status becomes this command's."""
    require("cuda")
    from hotloop.engines.simulate import build, host, toolchain
    from hotloop.engines.simulate import check as checks

    if check or picture is not None:
        if order:
            raise UserError("--order does not go with --check, which runs several orders.")
        checked = checks.check(
            sources,
            arg or [],
            include=include or [],
            defines=define or [],
            timeout_s=timeout,
            on_progress=log,
        )
        return checking.answer(checked, picture)
    log(toolchain.step())
    built = build.program(sources, checked=False, include=include or [], defines=define or [])
    try:
        done = host.run(built, arg or [], order=order or "forward", timeout_s=timeout)
    except ValueError as unknown:
        raise UserError(str(unknown)) from None
    document = {"status": done.status, "output": done.output, "errors": done.errors}
    output = [Text(done.output.rstrip("\n"))] if done.output else []
    if done.errors:
        log(done.errors.rstrip("\n"))
    findings = as_data(done.report)["findings"]
    document["findings"] = findings
    # As a shell does: 128 plus the signal's number after a signal.
    exit_code = done.status if done.status >= 0 else 128 - done.status
    return CommandResult(document, *output, *map(shown, findings), exit_code=exit_code)
