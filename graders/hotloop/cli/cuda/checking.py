"""`hotloop cuda run --check`: what the checks found in a program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.cuda.programs import as_data, shown
from hotloop.engines.simulate import table
from hotloop.engines.simulate.report import SimulatorReport, TrafficLine

if TYPE_CHECKING:
    from hotloop.engines.simulate.check import Checked


def answer(checked: Checked, picture: Path | None) -> CommandResult:
    """Show findings and what each line moves. picture: the SVG file for the latter."""
    data = as_data(checked.report)
    if picture is not None:
        picture.write_text(table.picture(checked.report.sites), encoding="utf-8")
    lines = [_sites(checked.report.sites)] if checked.report.sites else []
    said = (*map(shown, data["findings"]), *lines, Text(_summary(checked)))
    document = {
        "clean": checked.clean,
        "runs": [
            {"order": r.order, "status": r.status, "ended": r.report.ended} for r in checked.runs
        ],
        **data,
    }
    return CommandResult(document, *said, exit_code=0 if checked.clean else 1)


def _summary(checked: Checked) -> str:
    count = len(checked.report.findings)
    if not checked.report.launches and not count:
        nothing = "Nothing was launched, so that nothing was checked."
        return f"{_refused(checked.report)} {nothing}".strip()
    if checked.clean:
        return f"Clean in {len(checked.runs)} orders of its threads."
    if count:
        return f"{count} finding{'s' if count > 1 else ''}."
    failed = next(r for r in checked.runs if r.status != 0)
    message = f"The program ended with status {failed.status}: {failed.output[-500:].strip()}"
    return f"{message} {_refused(checked.report)}".strip()


def _refused(report: SimulatorReport) -> str:
    """Describe the first launch that the runtime refused; empty if there is none."""
    if not report.refused:
        return ""
    first = report.refused[0]
    grid, block = (" × ".join(map(str, extent)) for extent in (first.grid, first.block))
    return (
        f"{first.line or 'A launch'}: the launch of {first.kernel} with {grid} blocks of {block} "
        f"threads failed with {first.error}."
    )


def _sites(sites: list[TrafficLine]) -> Table:
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
