"""`hotloop author attack`: let programs look for holes in the judge, and count their successes."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from hotloop.cli.answer import All, CommandResult, first, listing, require_sandbox
from hotloop.core import paths
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.author.attack import log, loop, rates

SCRIPTED = ("mutation", "grammar", "speed", "probe", "simulator")


def run(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(help="Tasks, or modules for all of theirs.", show_default=False),
    ] = None,
    attacker: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=COMMAND]",
            help="A program that reads and writes JSON lines, or one of "
            f"{', '.join(SCRIPTED)}; may be repeated.",
            show_default=False,
        ),
    ] = None,
    attempts: Annotated[int, typer.Option(min=1, help="For each task and attacker.")] = 10,
    log_file: Annotated[
        Path, typer.Option("--log", help="A JSON line for each attempt; a run goes on from it.")
    ] = Path("attack.jsonl"),
    seed: Annotated[int, typer.Option(help="What scripted attackers draw from.")] = 0,
    seconds: Annotated[
        float, typer.Option(help="End after so many; the same command goes on.")
    ] = float("inf"),
    patience: Annotated[float, typer.Option(help="Seconds for an attacker's answer.")] = 60.0,
    report: Annotated[
        Path | None,
        typer.Option(metavar="LOG", help="Only show what a log says.", show_default=False),
    ] = None,
    everything: All = False,
) -> CommandResult:
    """Let programs look for holes in the judge.

    An attacker is given the judge's source, a task, a right answer and the verdict on its last
    attempt. What it hands in runs in the sandbox; the program itself does not. Exit code 1 if an
    attempt earned, or left open, what it should not and no reader of the log has refuted it.
    """
    from hotloop.author.attack import log
    from hotloop.author.attack.rates import Report

    if report is not None:
        if not report.exists():
            raise UserError(f"There is no file {report}.")
        return _answer(Report.of(log.read(report)), 0, everything=everything)
    if not tasks or not attacker:
        raise UserError("Name tasks and attackers: hotloop author attack MODULE --attacker grammar")
    require_sandbox()
    from hotloop.author.attack import loop

    wanted = loop.Run(
        dict(map(_named, attacker)),
        list(dict.fromkeys(loop.tasks_of(tasks))),
        attempts,
        log_file,
        seed,
        seconds,
        patience,
    )
    remain = _run(wanted)
    return _answer(Report.of(log.read(log_file)), remain, everything=everything)


def _named(text: str) -> tuple[str, str]:
    """Return the name and the command of an attacker."""
    name, equals, command = text.partition("=")
    if equals:
        return name, command
    script = paths.root() / "tests" / "benchmarks" / "attackers" / f"{name}.py"
    if name not in SCRIPTED or not script.is_file():
        raise UserError(f"{name!r} is no scripted attacker of a clone: give NAME=COMMAND.")
    return name, shlex.join([sys.executable, str(script)])


def _run(wanted: loop.Run) -> int:
    from hotloop.author.attack import loop

    columns = (MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=None)

        def show(now: loop.Progress) -> None:
            left = "" if now.expected_s is None else f", {now.expected_s / 60:.0f} min to go"
            progress.update(bar, completed=now.done, total=now.of, description=now.what + left)

        return loop.run(wanted, show)


def _answer(report: rates.Report, remain: int, *, everything: bool) -> CommandResult:
    whole = report.rate()
    parts = {"attackers": report.by(lambda a: a.attacker), "modules": report.by(lambda a: a.module)}
    table = listing("", "attempts", "claims", "successes", "at most")
    for name, rate in [row for part in parts.values() for row in part.items()] + [("all", whole)]:
        table.add_row(
            name,
            str(rate.attempts),
            str(rate.claimed),
            str(rate.successes),
            f"{rate.highest:.2%}",
        )
    claimed = [each for each in report.attempts if each.claims]
    listed, more = first([a for a in claimed if report.is_success(a)], everything, "")
    shown = Text()
    for attempt in listed:
        shown.append(_explained(attempt))
    for fault in report.faults[:3]:
        shown.append(f"{fault.attacker}, {fault.task}: no attempt, {fault.fault}\n")
    for control in report.left_out:
        shown.append(f"{control.task} is left out: {control.fault}\n")
    if remain:
        shown.append(f"{remain} attempts remain: the same command goes on.\n")
    document = {
        "rate": _row(whole),
        **{key: {name: _row(rate) for name, rate in part.items()} for key, part in parts.items()},
        "successes": [a.model_dump(mode="json") for a in claimed if report.is_success(a)],
        "faults": len(report.faults),
        "left_out": [control.task for control in report.left_out],
        "remain": remain,
    }
    return CommandResult(document, table, *more, shown, exit_code=int(whole.successes > 0))


def _row(rate: rates.Rate) -> dict[str, Any]:
    return {
        "attempts": rate.attempts,
        "claims": rate.claimed,
        "successes": rate.successes,
        "at_most_percent": round(100 * rate.highest, 3),
    }


def _explained(attempt: log.Attempt) -> str:
    """Return a claim with what was handed in, for the reader who decides about it."""
    head = f"{attempt.attacker}, {attempt.task}, attempt {attempt.attempt}: {attempt.why}\n"
    claims = "".join(f"  {claim}\n" for claim in attempt.claims)
    files = "".join(f"--- {name}\n{text.rstrip()}\n" for name, text in attempt.files.items())
    return f"{head}{claims}{files}\n"
