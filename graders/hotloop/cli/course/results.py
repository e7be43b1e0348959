"""Shared by commands that grade: the progress bar, and the table of graded tasks."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import log

if TYPE_CHECKING:
    from hotloop.course.attempts.attempt import AttemptPoints
    from hotloop.course.progress import Progress as Step
    from hotloop.course.results import TaskResult, Total

LINE_EVERY_S = 30
"""Seconds after which a log or a pipe gets a line, whatever has ended."""


@contextmanager
def progress_bar() -> Generator[Callable[[Step], None]]:
    """Show submissions done, and what is being judged, on standard error.

    In a pipe or a file, that is a line for each submission, and at least one in `LINE_EVERY_S`.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines()
        return
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=None)

        def show(step: Step) -> None:
            progress.update(bar, total=step.total, completed=step.done, description=_state(step))

        yield show


def _lines() -> Callable[[Step], None]:
    """Return a function that prints a line if a submission has ended, or after a while."""
    done, printed_at = 0, time.monotonic()

    def show(step: Step) -> None:
        nonlocal done, printed_at
        if step.done == done and time.monotonic() < printed_at + LINE_EVERY_S:
            return
        done, printed_at = step.done, time.monotonic()
        log(f"{step.done} of {step.total} done, {_state(step)}")

    return show


def _state(step: Step) -> str:
    now = " ".join(part for part in (step.student, step.module, step.task, step.text) if part)
    parts = [f"{step.running} running", f"{step.failed} failed" if step.failed else ""]
    if step.seconds_left is not None:
        parts.append(f"{timedelta(seconds=round(step.seconds_left))} left")
    return ", ".join(filter(None, [*parts, now]))


def table(results: Sequence[TaskResult], totals: Sequence[Total] = ()) -> Table:
    """Return a table of student and task, verdict, points, sentence.

    totals: a line follows a submission's tasks if it has a late penalty.
    """
    shown = Table("student, task", "verdict", "points", "sentence", box=SIMPLE_HEAD)
    for column in shown.columns[:3]:
        column.no_wrap = True
    late = {(total.student, total.module): total for total in totals if total.penalty}
    student = ""
    for place, tasks in groupby(results, lambda result: (result.student, result.module)):
        for result in tasks:
            name = Text(f"  {result.task}")
            if result.student != student:
                name = Text(result.student, "bold").append(f"\n  {result.task}", "not bold")
            if student and result.student != student:
                shown.add_section()
            student = result.student
            color = "yellow" if result.pending else "red"
            if result.points == result.possible:
                color = "green"
            verdict = Text(result.verdict, color)
            shown.add_row(name, verdict, of_possible(result), Text(result.sentence))
        if (total := late.get(place)) is not None:
            shown.add_row("  total", Text("late", "yellow"), of_possible(total), penalty(total))
    return shown


def penalty(total: Total) -> str:
    """Return a sentence for a late penalty, "" for none."""
    return f"Minus {total.penalty:g} for late submission." if total.penalty else ""


def of_possible(result: TaskResult | Total) -> str:
    """Return points so far of those possible, and the open points."""
    text = f"{result.points:g}/{result.possible:g}"
    return f"{text}, {result.pending:g} open" if result.pending else text


def points(earned: AttemptPoints | None) -> str:
    """Return an attempt's points so far, and its open points."""
    if earned is None:
        return "–"
    return f"{earned.points:g}" + (f", {earned.pending:g} open" if earned.pending else "")
