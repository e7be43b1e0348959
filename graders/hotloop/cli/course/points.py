"""`hotloop course points`: what counts in a course: points, GPU checks and late hand-ins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.options import Course, Modules, require_course
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.course.repricing import MarkChange, ModulePoints, Repriced
    from hotloop.tasks.problem import Score


_COUNTS = {
    "chosen": "one in time, unless the late one is chosen",
    "better": "one with the better total",
}


def run(
    modules: Modules = None,
    course: Course = Path(),
    gpu: Annotated[
        Literal["required", "left_out", "later"] | None,
        typer.Option(
            "--gpu",
            help="What checks that need a GPU are: pending until measured, left out of points and "
            "maximum, or 0 until they are measured.",
            show_default=False,
        ),
    ] = None,
    late: Annotated[
        Literal["chosen", "better"] | None,
        typer.Option(
            "--late",
            help="Which hand-in counts if a later one is late and loses points: the one in time "
            "unless the late one is chosen, or the one with the better total.",
            show_default=False,
        ),
    ] = None,
    publish: Annotated[
        bool, typer.Option("--publish", help="Let the points of module.yaml count from now on.")
    ] = False,
    why: Annotated[
        str, typer.Option("--why", help="With all three: the reason, for the audit log.")
    ] = "",
) -> CommandResult:
    """Say what modules are worth in the course, and whose marks module.yaml would change.

    A course keeps its points: a changed module.yaml, or other points in the released notebook,
    change no mark until they are published, for all learners at once. Nothing is executed, and
    pages, exports and late penalties follow. Exit code 1 if a page could not be made.
    """
    require_course(course)
    from hotloop.course import repricing
    from hotloop.course.worth import GpuChecks, LateHandIns

    for name, given in (("--gpu", gpu), ("--late", late)):
        if given is not None and (publish or modules):
            raise UserError(
                f"{name} is for the whole course: give it without a module and --publish."
            )
    if gpu is not None and late is not None:
        raise UserError("Give --gpu and --late one after the other, each with its reason.")
    wanted = {find.module(name).id for name in modules or []}
    if gpu is not None:
        repriced = repricing.set_gpu_checks(course, GpuChecks(gpu), why)
    elif late is not None:
        repriced = repricing.set_late_hand_ins(course, LateHandIns(late), why)
    else:
        differ = [
            one.module
            for one in repricing.points(course)
            if one.differs and (not wanted or one.module in wanted)
        ]
        book = repricing.publish if publish else None
        repriced = book(course, differ, why) if book else repricing.preview(course, differ)
    known = [one for one in repricing.points(course) if not wanted or one.module in wanted]
    are, counts = repricing.gpu_checks_of(course), repricing.late_hand_ins_of(course)
    document = {
        "gpu_checks": are.value,
        "late_hand_ins": counts.value,
        "modules": [asdict(one) for one in known],
        **asdict(repriced),
    }
    lines = [
        _modules(known),
        Text(f"Checks that need a GPU: {are.value.replace('_', ' ')}."),
        Text(f"Of a hand-in in time and a late one counts: the {_COUNTS[counts.value]}."),
    ]
    return CommandResult(
        document,
        *lines,
        *_changes(repriced, known),
        exit_code=int(bool(repriced.problems)),
    )


def _modules(known: Sequence[ModulePoints]) -> Table:
    shown = Table("module", "points", "other points in module.yaml", box=SIMPLE_HEAD)
    for one in known:
        shown.add_row(one.module, f"{one.possible:g}", ", ".join(one.differs))
    return shown


def _changes(repriced: Repriced, known: Sequence[ModulePoints]) -> list[Table | Text]:
    parts: list[Table | Text] = [_table(repriced.changes, repriced.batch)]
    lines = [f"No page: {name}: {log}" for name, log in repriced.problems.items()]
    if repriced.batch:
        lines.append(f"{len(repriced.changes)} marks changed: {repriced.batch}.")
    elif any(one.differs for one in known):
        lines.append("Nothing is changed yet: hotloop course points --publish --why '…'")
    return [*(parts if repriced.changes else []), Text("\n".join(lines))]


def _table(changes: Sequence[MarkChange], batch: str) -> Table:
    after = "is" if batch else "would be"
    shown = Table("learner", "module", "was" if batch else "is", after, box=SIMPLE_HEAD)
    for one in changes:
        shown.add_row(Text(one.student), one.module, _points(one.before), _points(one.after))
    return shown


def _points(score: Score) -> str:
    text = f"{score.points:g}/{score.possible:g}"
    return f"{text}, {score.pending:g} open" if score.pending else text
