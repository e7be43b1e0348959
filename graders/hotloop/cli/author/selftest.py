"""`hotloop author selftest`: judge each reference's speed checks ten times on this machine."""

import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult, listing, log, require_sandbox
from hotloop.cli.options import OneModule, OnlyTasks
from hotloop.core.user_error import UserError
from hotloop.tasks import curriculum

if TYPE_CHECKING:
    from hotloop.tasks import fitness

EXPECTED_S = 45.0
"""Seconds of judging a speed check once, on two cores."""


def run(
    module: OneModule = None,
    task: OnlyTasks = None,
    times: Annotated[int, typer.Option("--times", min=1, help="Tries of each check.")] = 10,
) -> CommandResult:
    """Judge the references' speed checks here, before a course.

    A check in which the reference earns full points in fewer than 9 of 10 tries is unfit on this
    machine: it is not measured here until another self-test passes. Exit code 1 if there is one.
    Run it while nothing else runs on the machine.
    """
    require_sandbox()
    from hotloop.tasks import fitness

    if task and module is None:
        raise UserError("--task needs the name of its module before it.")
    modules = [find.module(module)] if module else curriculum.modules()
    chosen = {one.id: fitness.speed_checks(one, task or ()) for one in modules}
    count = sum(len(checks) for tasks in chosen.values() for checks in tasks.values())
    if not count:
        raise UserError("There is no speed check that this machine could judge.")
    started = time.monotonic()
    log(
        f"{count} speed checks, {times} tries each: about {count * times * EXPECTED_S / 60:.0f} min"
    )

    def show(text: str) -> None:
        log(f"{(time.monotonic() - started) / 60:.1f} min: {text}")

    trials = [
        trial
        for name, checks in chosen.items()
        if checks
        for trial in fitness.judge_reference(name, checks, times, show)
    ]
    document = [_document(trial) for trial in trials]
    unfit = [trial.name for trial in trials if trial.results and not trial.fit]
    summary = f"Unfit on this machine: {', '.join(unfit)}." if unfit else ""
    return CommandResult(document, _table(trials), Text(summary), exit_code=int(bool(unfit)))


def _document(trial: "fitness.FitnessTrial") -> dict[str, object]:
    return {
        "check": trial.name,
        "full": trial.full,
        "tries": len(trial.results),
        "fit": trial.fit,
        "verdicts": trial.verdicts,
        "ratios": trial.ratios,
        "missing": trial.missing,
    }


def _table(trials: "list[fitness.FitnessTrial]") -> Table:
    table = listing("check", "full points", "speedup", "verdicts")
    for trial in trials:
        ratios = trial.ratios
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}" if ratios else ""
        counts = ", ".join(f"{count} {name}" for name, count in trial.verdicts.items())
        table.add_row(
            trial.name,
            Text(f"{trial.full} of {len(trial.results)}", "" if trial.fit else "bold red"),
            spread,
            Text(counts or trial.missing),
        )
    return table
