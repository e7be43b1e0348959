"""`hotloop course forget`: delete a learner's data from a course."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, require_consent
from hotloop.cli.options import Course, require_course


def run(
    student: Annotated[str, typer.Argument(help="The learner.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    course: Course = Path(),
) -> CommandResult:
    """Delete a learner's data from a course.

    That is submissions, attempts, points, feedback, requests and name, in the course's folder, its
    gradebook and its exchange. The audit log keeps how much was deleted and by whom, without the
    name. Earlier exports, class pages and backups are not touched. Exit code 1 if a file could not
    be deleted.
    """
    require_course(course)
    from hotloop.course.forget import data_of, forget

    paths = data_of(course.resolve(), student)
    listed = "".join(f"  {path}\n" for path in paths)
    question = f"{listed}Delete all data of {student} permanently?"
    require_consent(question, "Nothing was deleted.", yes=yes)
    done = forget(course, student)
    document = {
        "forgotten": student,
        "said": done.said,
        "deleted": [str(path) for path in done.deleted],
        "left": {str(path): why for path, why in done.left.items()},
    }
    lines = [f"{student}: {done.said}, and {len(done.deleted)} files and folders"]
    left = [Text(f"Not deleted: {why}", "red") for why in done.left.values()]
    return CommandResult(document, Text("\n".join(lines)), *left, exit_code=int(bool(left)))
