"""Runs a whole course: creates it, hands in submissions and grades them with the real judge.

Submissions are the reference solution, the untouched exercise, wrong answers of the module, and the
exploits marked for the demo.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hotloop.author import exploits
from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.course.config import database
from hotloop.course.grade import grade
from hotloop.course.prepare import prepare
from hotloop.course.progress import Progress
from hotloop.course.results import Graded, TaskResult
from hotloop.judge.files import lay_out
from hotloop.tasks import render
from hotloop.tasks.local_judging import default_jobs
from hotloop.tasks.notebook_cells import NOTEBOOK

MODULE = "fused_softmax"
TASKS = ("online_pass", "compiled_chain", "triton_forward")
"""The tasks of a short demo: an algorithm, a speed and a kernel."""
WRONG = ("forgotten_rescale", "eager_chain", "contiguous_rows")
"""A short demo's wrong answers to them: two are wrong in the first check, one is too slow."""
REFERENCE = "reference"
UNTOUCHED = "untouched"
_MARK = ".hotloop-demo"


class NotADemo(UserError):
    """The folder contains something else and is not changed."""


@dataclass(frozen=True)
class DemoSubmission:
    """One submission. write: writes its files into an empty folder.

    tasks: the tasks to judge; empty for all.
    """

    student: str
    write: Callable[[Path], None]
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Demo:
    """Result of a demo. results: of judged tasks only. page: a feedback page to look at.

    missing: what could not be shown here, and why.
    """

    results: list[TaskResult]
    gradebook: Path
    page: Path | None
    missing: list[str] = field(default_factory=list[str])
    problems: Mapping[str, str] = field(default_factory=dict[str, str])


def default_folder() -> Path:
    """Return build/demo/course in a clone, or in the working directory."""
    return (paths.root() if paths.in_clone() else Path.cwd()) / "build" / "demo" / "course"


def run(
    root: Path | None = None,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    *,
    everything: bool = False,
) -> Demo:
    """Recreate the course in `root`, hand in and grade. Raises NotADemo for other folders.

    everything: as in `hand_ins`.
    """
    root = (root or default_folder()).resolve()
    _clear(root)
    prepare(root, [MODULE])
    handed_in, missing = hand_ins(everything=everything)
    for each in handed_in:
        folder = root / "submitted" / each.student / MODULE
        folder.mkdir(parents=True)
        each.write(folder)
    tasks_of = {each.student: each.tasks for each in handed_in if each.tasks}
    graded = grade(root, on_progress=on_progress, tasks=tasks_of, jobs=default_jobs())
    page = root / "feedback" / REFERENCE / MODULE / f"{Path(NOTEBOOK).stem}.html"
    return Demo(
        _shown(graded, handed_in),
        Path(database(root).removeprefix("sqlite:///")),
        page if page.is_file() else None,
        missing,
        graded.problems,
    )


def hand_ins(*, everything: bool = False) -> tuple[list[DemoSubmission], list[str]]:
    """Return the submissions in table order, and what is missing here.

    everything: all tasks and all wrong answers of the module; otherwise `TASKS` and `WRONG`.
    """
    wrong = render.wrong_answers(MODULE)
    if not everything:
        named = {each.name: each for each in wrong}
        wrong = [named[name] for name in WRONG]
    tasks = () if everything else TASKS
    submissions = [
        DemoSubmission(REFERENCE, partial(lay_out, render.submission(MODULE)), tasks),
        DemoSubmission(UNTOUCHED, partial(lay_out, render.untouched(MODULE)), tasks[:1]),
    ]
    for each in wrong:
        files = render.submission(MODULE, each.path)
        submissions.append(
            DemoSubmission(f"wrong-{each.name}", partial(lay_out, files), (each.task,))
        )
    try:
        marked = [e for e in exploits.load_all() if e.demo and e.module == MODULE]
    except FileNotFoundError as error:
        return submissions, [f"The cheating notebooks are not here: {error}"]
    for exploit in marked:
        student = f"cheat-{exploit.name.rpartition('/')[2]}"
        write = partial(exploits.lay_out, exploit)
        submissions.append(DemoSubmission(student, write, (exploit.task_id,)))
    return submissions, []


def _shown(graded: Graded, handed_in: list[DemoSubmission]) -> list[TaskResult]:
    """Return the rows in the order of the submissions, for judged tasks only."""
    by_student = {
        each.student: [r for r in graded.results if r.student == each.student] for each in handed_in
    }
    return [
        result
        for each in handed_in
        for result in by_student[each.student]
        if not each.tasks or result.task in each.tasks
    ]


def _clear(root: Path) -> None:
    if root.exists() and any(root.iterdir()):
        if not (root / _MARK).is_file():
            raise NotADemo(f"{root} is not empty and not a demo: name another folder.")
        shutil.rmtree(root)
    root.mkdir(parents=True, exist_ok=True)
    (root / _MARK).write_text("Made by `hotloop demo`, which removes it before it runs again.\n")
