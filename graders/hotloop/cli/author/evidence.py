"""`hotloop author evidence`: measure the solutions on this machine and record the results."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult, log, require_sandbox
from hotloop.cli.options import OneModule, OnlyTasks
from hotloop.core.user_error import UserError
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Measurement, Module, RecordedRun


def run(
    module: OneModule = None,
    task: OnlyTasks = None,
    gpu_only: Annotated[
        bool, typer.Option("--gpu-only", help="Only checks that run on a GPU.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Leave out what was measured of the same code here.")
    ] = False,
) -> CommandResult:
    """Measure reference and wrong answers on this machine.

    It writes curriculum/MODULE/runs/DEVICE.json, anew after each record.
    """
    require_sandbox()
    from hotloop.author import evidence
    from hotloop.judge.device import kind

    if gpu_only and kind() != "cuda":
        raise UserError("This machine has no GPU: leave --gpu-only away.")
    selection = evidence.EvidenceSelection(tasks=task, gpu_only=gpu_only)
    modules = _modules(module, task or [])
    runs: dict[str, RecordedRun] = {}
    for each in modules:
        if not selection.checks(each):
            continue
        here = evidence.run_here(each.id) if resume or gpu_only or task else None
        known = evidence.written_here(each.id) if resume else None
        measured = evidence.measure(
            each.id,
            log,
            selection=selection,
            earlier=known,
            # Written after each record, so that an interrupted run keeps its results.
            on_run=lambda run, here=here: evidence.write(evidence.joined(here, run)),
        )
        runs[each.id] = evidence.joined(here, measured)
    written = {name: str(evidence.write(run)) for name, run in runs.items()}
    runs_as_data = [run.model_dump(mode="json", exclude_none=True) for run in runs.values()]
    shown = [_table(run) for run in runs.values()]
    message = Text("\n".join(f"written: {path}" for path in written.values()))
    return CommandResult({"written": written, "runs": runs_as_data}, *shown, message)


def _modules(module: str | None, tasks: list[str]) -> list[Module]:
    """Return the modules to measure. Raises UserError for a task that the module does not have."""
    if module is None:
        if tasks:
            raise UserError("--task needs the name of its module before it.")
        return curriculum.modules()
    chosen = find.module(module)
    known = [task.id for task in chosen.tasks if task.kind == "code"]
    if unknown := sorted(set(tasks) - set(known)):
        raise UserError(f"{module} has no task {', '.join(unknown)}; it has {', '.join(known)}.")
    return [chosen]


def _table(run: RecordedRun) -> Table:
    table = Table(
        "candidate", "task", "check", "verdict", "ratio", "p50 ms", "of the limit",
        title=f"{run.module} on {run.device}",
    )  # fmt: skip
    for column in table.columns[:4]:
        column.no_wrap = True
    for m in run.measurements:
        table.add_row(m.candidate, m.task, m.check, m.verdict, *_figures(m))
    return table


def _figures(m: Measurement) -> tuple[str, str, str]:
    ratio = f"{m.ratio.estimate:.2f} ({m.ratio.low:.2f} to {m.ratio.high:.2f})" if m.ratio else ""
    time = f"{m.p50_ms:.3f}" if m.p50_ms is not None else ""
    share = f"{m.fraction_of_limit:.0%}" if m.fraction_of_limit is not None else ""
    return ratio, time, share
