"""Options that commands on CUDA programs share, and how findings are printed."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from hotloop.engines.simulate.report import SimulatorReport

Include = Annotated[
    list[Path] | None,
    typer.Option("-I", help="Folder to search for headers.", exists=True, file_okay=False),
]
Define = Annotated[list[str] | None, typer.Option("-D", help="Define a macro: NAME or NAME=VALUE.")]


def as_data(report: SimulatorReport) -> dict[str, Any]:
    """Return a report's data for --json."""
    return {
        "findings": [asdict(f) for f in report.findings],
        "lines": [asdict(s) for s in report.sites],
        "launches": [asdict(launch) for launch in report.launches],
    }


def shown(finding: dict[str, Any]) -> Text:
    """Describe what is wrong, and each memory access that shows it."""
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
