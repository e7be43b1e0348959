"""`hotloop course grade`: autograde a course, and write feedback."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.course import results
from hotloop.cli.course.learners import require_known
from hotloop.cli.options import Course, Jobs, Modules, Ray, Students, require_course


def run(
    modules: Modules = None,
    course: Course = Path(),
    student: Students = None,
    jobs: Jobs = None,
    ray: Ray = "",
    again: Annotated[
        bool, typer.Option("--again", help="Also what is graded as it stands.")
    ] = False,
    feedback: Annotated[bool, typer.Option(help="Write the learners' pages.")] = True,
    collect: Annotated[
        bool, typer.Option("--collect", help="First collect what lies in the exchange.")
    ] = False,
) -> CommandResult:
    """Grade what was handed in; write gradebook and feedback.

    Submissions run in the sandbox. What was graded and has not changed since is left alone, so that
    a grading that was stopped goes on where it was. Exit code 1 if a submission could not be dealt
    with.
    """
    require_course(course)
    from hotloop.course.attempts.connection import shown
    from hotloop.course.config import database
    from hotloop.course.executors.ray import Ray
    from hotloop.course.grade import grade
    from hotloop.course.repricing import points
    from hotloop.tasks.local_judging import default_jobs

    wanted = [find.module(name).id for name in modules or []] or None
    not_collected = _collect(course, wanted) if collect else {}
    require_known(course, student or [])
    with results.progress_bar() as show:
        graded = grade(
            course,
            student or None,
            wanted,
            show,
            jobs=jobs or default_jobs(),
            executor=Ray(ray) if ray else None,
            again=again,
            feedback=feedback,
        )
    differ = [one.module for one in points(course) if one.differs]
    document = {
        "results": [asdict(result) for result in graded.results],
        "totals": [asdict(total) for total in graded.totals],
        "gradebook": shown(database(course)),
        "feedback": [str(path) for path in graded.feedback],
        "problems": {**not_collected, **graded.problems},
        "notes": graded.notes,
        "other_points": differ,
    }
    lines = [f"Gradebook: {document['gradebook']}"]
    lines += [
        f"{module} gives other points now: hotloop course points"
        for module in document["other_points"]
    ]
    lines += [f"{key}: {note}" for key, notes in graded.notes.items() for note in notes]
    lines += [f"Not collected: {key}: {why}" for key, why in not_collected.items()]
    lines += [f"Not graded: {key}: {log}" for key, log in graded.problems.items()]
    shown = (results.table(graded.results, graded.totals), Text("\n".join(lines)))
    return CommandResult(document, *shown, exit_code=int(bool(document["problems"])))


def _collect(course: Path, modules: Sequence[str] | None) -> dict[str, str]:
    """Collect what is in the exchange; return what could not be, by the name of its folder."""
    from hotloop.course.collect import collect
    from hotloop.course.released import released_modules

    results = [collect(course, module) for module in modules or sorted(released_modules(course))]
    return {name: why for result in results for name, why in result.problems.items()}
