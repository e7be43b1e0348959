"""`hotloop course page`: a class's results on one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.options import Course, Modules, require_course
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.course.class_page.summary import ModuleSummary


def run(
    modules: Modules = None,
    course: Course = Path(),
    names: Annotated[
        bool, typer.Option("--names", help="Name the learners: such a page is not for the class.")
    ] = False,
) -> CommandResult:
    """Write a page on the class: points, difficulty, mistakes.

    It says too what is open, and why; with names, whose hand-ins are alike.
    """
    require_course(course)
    from hotloop.course.class_page.alike import alike_hand_ins
    from hotloop.course.class_page.marks import read_marks
    from hotloop.course.class_page.page import file_name, page
    from hotloop.course.class_page.summary import document, summary

    wanted = [find.module(name).id for name in modules or []] or None
    marks = read_marks(course, wanted)
    ids = [one.module.id for one in marks.modules] if names else []
    alike = {module: alike_hand_ins(course.resolve(), module) for module in ids}
    overview = summary(marks, names=names, alike=alike)
    if not overview.modules:
        raise UserError(f"None of these modules is released in {course.resolve()}.")
    path = course.resolve() / file_name(wanted, names=names)
    path.write_text(page(overview), encoding="utf-8")
    lines = [*map(_line, overview.modules), f"The page: {path}"]
    return CommandResult({"page": str(path), **document(overview)}, Text("\n".join(lines)))


def _line(module: ModuleSummary) -> str:
    """Summarize a module in one line; the page has the figures of each task."""
    small = "; a small class, see the page" if module.small else ""
    people = sum(len(group.students) for group in module.alike)
    count = f"{len(module.alike)} group{'' if len(module.alike) == 1 else 's'}"
    alike = f"; {people} hand-ins in {count} are alike" if module.alike else ""
    unread = "".join(f"; {student}'s could not be read: {why}"
                     for student, why in module.unreadable.items())  # fmt: skip
    return (
        f"{module.title}: {module.graded} graded, open for {module.pending}{alike}{unread}{small}"
    )
