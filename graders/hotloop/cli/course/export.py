"""`hotloop course export`: the marks of all modules as CSV."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.options import Course, Modules, require_course


def run(
    modules: Modules = None,
    course: Course = Path(),
    wide: Annotated[
        Literal["modules", "tasks"] | None,
        typer.Option(
            "--wide",
            help="For an LMS: one row a learner, one column a module or a task.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[Path, typer.Option("--to", help="The file.")] = Path("grades.csv"),
) -> CommandResult:
    """Write the marks of all modules as CSV, and say what is open.

    One row for each submission, with nbgrader's columns, as `nbgrader export`; or with --wide one
    for each learner, whose numbers are the points so far, after late penalties.
    """
    require_course(course)
    from hotloop.course import export

    root = course.resolve()
    wanted = {find.module(name).id for name in modules or []}
    if wide is None:
        rows, columns = export.table(root, wanted), export.COLUMNS
        still = sum(row["points_pending"] > 0 for row in rows)
    else:
        table = export.wide(root, wanted, by_task=wide == "tasks")
        rows, columns = table.rows, table.columns
        still = sum(bool(row[export.OPEN]) for row in rows)
    export.write(to, columns, rows)
    document = {"file": str(to), "columns": list(columns), "rows": rows, "open": still}
    said = f"{to}: {len(rows)} rows, {still} of them with points open."
    return CommandResult(document, Text(said))
