"""`hotloop cuda run`: run a CUDA C++ program without a GPU."""

from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import Answer, UserError, log, require
from hotloop.cli.cuda.programs import Arguments, Define, Include, Seconds, Sources, as_data, shown
from hotloop.simulate.orders import TIMEOUT_S


def run(
    sources: Sources,
    include: Include = None,
    define: Define = None,
    arg: Arguments = None,
    order: Annotated[
        str, typer.Option(help="Of threads: forward, reverse or random:SEED.")
    ] = "forward",
    timeout: Seconds = TIMEOUT_S,
) -> Answer:
    """Compile and run a program; its exit status becomes this command's."""
    require("cuda")
    from hotloop.simulate import build, host, toolchain

    log(toolchain.step())
    built = build.program(sources, checked=False, include=include or [], defines=define or [])
    try:
        done = host.run(built, arg or [], order=order, timeout_s=timeout)
    except ValueError as unknown:
        raise UserError(str(unknown)) from None
    document = {"status": done.status, "output": done.output, "errors": done.errors}
    output = [Text(done.output.rstrip("\n"))] if done.output else []
    if done.errors:
        log(done.errors.rstrip("\n"))
    findings = as_data(done.report)["findings"]
    document["findings"] = findings
    return Answer(document, *output, *map(shown, findings), exit_code=_exit_code(done.status))


def _exit_code(status: int) -> int:
    """Return the exit code as a shell does: 128 plus the signal's number after a signal."""
    return status if status >= 0 else 128 - status
