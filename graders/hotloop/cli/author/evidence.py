"""`hotloop author evidence`: measure the solutions on this machine and write it down."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hotloop import curriculum, evidence
from hotloop.cli import find
from hotloop.cli.answer import Answer, log, require_sandbox
from hotloop.curriculum import Measurement, Run


def run(
    module: Annotated[
        str | None, typer.Argument(help="Which module; all if not given.", show_default=False)
    ] = None,
) -> Answer:
    """Measure reference and wrong answers on this machine.

    It writes curriculum/MODULE/runs/DEVICE.json.
    """
    require_sandbox()
    wanted = [find.module(module)] if module else curriculum.modules()
    runs: dict[str, Run] = {}
    written: dict[str, str] = {}
    for found in wanted:
        # One after the other: what was measured is kept, whatever happens to the next.
        runs[found.id] = run = evidence.measure(found.id, log)
        written[found.id] = str(evidence.write(run))
    runs_as_data = [run.model_dump(mode="json", exclude_none=True) for run in runs.values()]
    shown = [_table(run) for run in runs.values()]
    told = Text("\n".join(f"written: {path}" for path in written.values()))
    return Answer({"written": written, "runs": runs_as_data}, *shown, told)


def _table(run: Run) -> Table:
    table = Table(
        "candidate", "task", "rung", "verdict", "ratio", "p50 ms", "of the limit",
        title=f"{run.module} on {run.device}",
    )  # fmt: skip
    for column in table.columns[:4]:
        column.no_wrap = True
    for m in run.measurements:
        table.add_row(m.candidate, m.task, m.rung, m.verdict, *_figures(m))
    return table


def _figures(m: Measurement) -> tuple[str, str, str]:
    ratio = f"{m.ratio.estimate:.2f} ({m.ratio.low:.2f} to {m.ratio.high:.2f})" if m.ratio else ""
    time = f"{m.p50_ms:.3f}" if m.p50_ms is not None else ""
    share = f"{m.fraction_of_limit:.0%}" if m.fraction_of_limit is not None else ""
    return ratio, time, share
