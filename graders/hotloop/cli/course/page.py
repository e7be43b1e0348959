"""`hotloop course page`: how a class did, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import Json, UserError, answering
from hotloop.cli.course.folder import require_course
from hotloop.cli.options import Course, Modules

if TYPE_CHECKING:
    from hotloop.course.class_page.summary import ClassSummary, TaskSummary


def run(
    modules: Modules = None,
    course: Course = Path(),
    names: Annotated[
        bool, typer.Option("--names", help="Name the learners: such a page is not for the class.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a page on the class: points, difficulty, mistakes.

    It says too what is open, and why.
    """
    with answering(as_json) as answer:
        require_course(course)
        from hotloop.course.class_page.marks import read_marks
        from hotloop.course.class_page.page import file_name, page
        from hotloop.course.class_page.summary import document, summary

        wanted = [find.module(name).id for name in modules or []] or None
        try:
            found = summary(read_marks(course, wanted), names=names)
        except FileNotFoundError as error:
            raise UserError(f"{error}.") from None
        if not found.modules:
            raise UserError(f"None of these modules is released in {course.resolve()}.")
        path = course.resolve() / file_name(wanted)
        path.write_text(page(found), encoding="utf-8")
        shown = (_table(found), Text(f"The page: {path}"))
        answer.give({"page": str(path), **document(found)}, *shown)


def _table(found: ClassSummary) -> Table:
    """Task with mean share, discrimination and what is open."""
    shown = Table("module, task", "learners", "mean share", "discrimination", "open for")
    shown.box = SIMPLE_HEAD
    for module in found.modules:
        shown.add_row(Text(module.title, "bold"), str(module.graded), "", "", str(module.pending))
        for task in module.tasks:
            mean = task.difficulty.mean
            shown.add_row(
                Text(f"  {task.task}"),
                str(task.difficulty.learners),
                "–" if mean is None else f"{mean:.0%}",
                _discrimination(task),
                str(task.pending),
            )
        if module.small:
            shown.add_row(Text("  small class: see the page", "yellow"))
    return shown


def _discrimination(task: TaskSummary) -> str:
    found = task.discrimination
    if found.correlation is None:
        return "–"
    said = f"{found.correlation:.2f}"
    if found.interval is None:
        return said
    low, high = found.interval
    return f"{said} ({low:.2f} to {high:.2f})"
