"""`hotloop cuda run` and `hotloop cuda check`: CUDA C++ programs without a GPU."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hotloop.cli import cuda_compile
from hotloop.cli.answer import Json, UserError, answering, log, require
from hotloop.simulate import table
from hotloop.simulate.orders import TIMEOUT_S
from hotloop.simulate.problem import Problem
from hotloop.simulate.report import Report, Site

if TYPE_CHECKING:
    from hotloop.simulate.check import Checked

app = typer.Typer(
    help="Run CUDA C++ programs on this machine's CPU, and check them.", no_args_is_help=True
)
cuda_compile.register(app)

Sources = Annotated[
    list[Path],
    typer.Argument(
        help="One or more CUDA sources, as nvcc would take them.", exists=True, dir_okay=False
    ),
]
Include = Annotated[
    list[Path] | None,
    typer.Option("-I", help="Folder to search for headers.", exists=True, file_okay=False),
]
Define = Annotated[list[str] | None, typer.Option("-D", help="Define a macro: NAME or NAME=VALUE.")]
Arguments = Annotated[
    list[str] | None, typer.Option("--arg", help="An argument of the program; repeat for more.")
]
Seconds = Annotated[int, typer.Option("--timeout", help="Seconds until a run is stopped.", min=1)]


@app.command("run")
def run_program(
    sources: Sources,
    include: Include = None,
    define: Define = None,
    arg: Arguments = None,
    order: Annotated[
        str, typer.Option(help="Of threads: forward, reverse or random:SEED.")
    ] = "forward",
    timeout: Seconds = TIMEOUT_S,
    as_json: Json = False,
) -> None:
    """Compile and run a program; its exit status becomes this command's."""
    with answering(as_json) as answer:
        require("cuda")
        from hotloop.simulate import build, host, toolchain

        log(toolchain.step())
        try:
            built = build.program(
                sources, checked=False, include=include or [], defines=define or []
            )
        except Problem as problem:
            raise UserError(str(problem)) from None
        try:
            done = host.run(built, arg or [], order=order, timeout_s=timeout)
        except ValueError as unknown:
            raise UserError(str(unknown)) from None
        document = {"status": done.status, "output": done.output, "errors": done.errors}
        shown: list[RenderableType] = [Text(done.output.rstrip("\n"))] if done.output else []
        if done.errors:
            log(done.errors.rstrip("\n"))
        findings = [_finding(f) for f in _as_data(done.report)["findings"]]
        answer.give(
            {**document, "findings": _as_data(done.report)["findings"]},
            *shown,
            *findings,
            exit_code=_exit_code(done.status),
        )


@app.command("check")
def check_program(
    sources: Sources,
    include: Include = None,
    define: Define = None,
    arg: Arguments = None,
    timeout: Seconds = TIMEOUT_S,
    picture: Annotated[
        Path | None, typer.Option(help="Write the figures of each line to this SVG file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a program under every check and several orders of its threads; exit 0 when clean."""
    with answering(as_json) as answer:
        require("cuda")
        from hotloop.simulate import check as checking

        try:
            checked = checking.check(
                sources,
                arg or [],
                include=include or [],
                defines=define or [],
                timeout_s=timeout,
                on_progress=log,
            )
        except Problem as problem:
            raise UserError(str(problem)) from None
        data = _as_data(checked.report)
        if picture is not None:
            picture.write_text(table.svg(checked.report.sites), encoding="utf-8")
        shown: list[RenderableType] = [_finding(f) for f in data["findings"]]
        if checked.report.sites:
            shown.append(_sites(checked.report.sites))
        shown.append(Text(_summary(checked)))
        document = {
            "clean": checked.clean,
            "runs": [
                {"order": r.order, "status": r.status, "ended": r.report.ended}
                for r in checked.runs
            ],
            **data,
        }
        answer.give(document, *shown, exit_code=0 if checked.clean else 1)


def _exit_code(status: int) -> int:
    """As a shell gives it: 128 and the number of the signal that ended the program."""
    return status if status >= 0 else 128 - status


def _as_data(report: Report) -> dict[str, Any]:
    return {
        "findings": [asdict(f) for f in report.findings],
        "lines": [asdict(s) for s in report.sites],
        "launches": [asdict(launch) for launch in report.launches],
    }


def _summary(checked: Checked) -> str:
    count = len(checked.report.findings)
    if not checked.report.launches and not count:
        return "Nothing was launched, so that nothing was checked."
    if checked.clean:
        return f"Clean in {len(checked.runs)} orders of its threads."
    if count:
        return f"{count} finding{'s' if count > 1 else ''}."
    failed = next(r for r in checked.runs if r.status != 0)
    return f"The program ended with status {failed.status}: {failed.output[-500:].strip()}"


def _finding(finding: dict[str, Any]) -> Text:
    text = Text()
    text.append(f"{finding['kind']}: ", style="bold red")
    text.append(finding["text"])
    for witness in finding["witnesses"]:
        text.append(f"\n    {_place(witness)}")
    return text


def _place(witness: dict[str, Any]) -> str:
    line = witness["line"]
    where = f"{line['file']}:{line['line']}" if line else "somewhere"
    thread = ""
    if witness["thread"] is not None:
        thread = f", thread {_index(witness['thread'])} of block {_index(witness['block'])}"
    return f"{where} {witness['did']}{thread}"


def _index(index: tuple[int, int, int]) -> str:
    return str(index[0]) if index[1] == index[2] == 0 else f"({index[0]}, {index[1]}, {index[2]})"


def _sites(sites: list[Site]) -> Table:
    shown = Table("line", "kernel", "memory", "bytes", "width", "efficiency", "what it means")
    for column in shown.columns[3:6]:
        column.justify = "right"
    for site in sites:
        shown.add_row(
            str(site.line or "?"),
            site.kernel,
            f"{site.space} {site.did}",
            f"{site.bytes:,}",
            str(site.width),
            f"{table.efficiency(site):.0%}",
            table.sentence(site),
        )
    return shown
