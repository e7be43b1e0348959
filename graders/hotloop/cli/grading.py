"""What `grade` and `demo` share: the progress bar and the table of graded tasks."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import UserError

if TYPE_CHECKING:
    from hotloop.course.grade import Progress as Step
    from hotloop.course.grade import TaskResult


def require_course_packages() -> None:
    """UserError when nbgrader is not installed."""
    if importlib.util.find_spec("nbgrader") is None:
        raise UserError("nbgrader is not installed: pip install 'hotloop[course]'")


@contextmanager
def progress_bar() -> Generator[Callable[[Step], None]]:
    """On standard error: submissions done, and what is being judged now."""
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=None)

        def show(step: Step) -> None:
            said = " ".join(part for part in (step.student, step.task, step.text) if part)
            progress.update(bar, total=step.total, completed=step.done, description=said)

        yield show


def table(results: Sequence[TaskResult]) -> Table:
    """Student, task, verdict, points, sentence."""
    shown = Table("student", "task", "verdict", "points", "sentence")
    for column in shown.columns[:4]:
        column.no_wrap = True
    student = ""
    for result in results:
        if student and result.student != student:
            shown.add_section()
        name = "" if result.student == student else result.student
        student = result.student
        sentence = Text(result.sentence)
        shown.add_row(name, result.task, result.verdict, points(result), sentence)
    return shown


def points(result: TaskResult) -> str:
    """Points so far of those possible; what is open is said, never counted as lost."""
    text = f"{result.points:g}/{result.possible:g}"
    return f"{text}, {result.pending:g} open" if result.pending else text


def documents(results: Sequence[TaskResult]) -> list[dict[str, Any]]:
    """As plain data."""
    return [asdict(result) for result in results]
