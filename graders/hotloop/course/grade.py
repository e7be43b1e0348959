"""Grades a course's submissions: nbgrader's autograde and feedback, learner by learner.

What goes wrong with one submission stays with that one: its grades are then pending, and the rest
of the batch goes on.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from nbgrader.api import Gradebook, MissingEntry
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from hotloop.course import records
from hotloop.course.config import course_api, database, load_config
from hotloop.course.points import by_hand, of_grade
from hotloop.course.released import notebook_ids
from hotloop.course.repair import NOT_HANDED_IN
from hotloop.curriculum import Score, load_module
from hotloop.judge.verdict import Verdict

log = logging.getLogger("hotloop.course")

_FAULT = "It could not be graded; no points are lost, and the instructor has the log."
BY_HAND = "by hand"
"""Stands in the place of a verdict for what a person grades."""


@dataclass(frozen=True)
class Progress:
    """Where a batch is: submission `done` + 1 of `total` is being graded."""

    student: str
    module: str
    task: str
    text: str
    done: int
    total: int


@dataclass(frozen=True)
class TaskResult:
    """One task of one learner, as the gradebook and the judge's records have it."""

    student: str
    module: str
    task: str
    verdict: str
    sentence: str
    points: float
    pending: float
    possible: float


@dataclass(frozen=True)
class Graded:
    """A batch. problems: log of what nbgrader could not do, by learner."""

    results: list[TaskResult] = field(default_factory=list[TaskResult])
    feedback: list[Path] = field(default_factory=list[Path])
    problems: dict[str, str] = field(default_factory=dict[str, str])


def grade(
    root: Path,
    students: Collection[str] | None = None,
    modules: Collection[str] | None = None,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    settings: Mapping[str, Any] | None = None,
    tasks: Mapping[str, Collection[str]] | None = None,
) -> Graded:
    """Grade all submissions in the course at `root`, or those of some learners and modules.

    `settings` are traits of `JudgedExecute`. `tasks`: by learner, where not all are to be judged.
    Grading again replaces what was graded before, apart from what a person decided.
    FileNotFoundError when there is nothing to grade, or no course.
    """
    root = root.resolve()
    todo = submissions(root, students, modules)
    if not todo:
        raise FileNotFoundError(f"there are no submissions to grade in {root / 'submitted'}")
    graded = Graded()
    for done, (student, module) in enumerate(todo):
        tell = _teller(on_progress, Progress(student, module, "", "starting", done, len(todo)))
        config = load_config(root)
        config.JudgedExecute.update({"on_progress": tell, **(settings or {})})
        if tasks and student in tasks:
            config.JudgedExecute.tasks = list(tasks[student])
        _grade_one(root, config, student, module, graded)
    return graded


def _teller(on_progress: Callable[[Progress], None], start: Progress) -> Callable[..., None]:
    """What `JudgedExecute` tells of one submission, as the batch's progress."""
    on_progress(start)

    def tell(_student: str, task: str, text: str) -> None:
        on_progress(replace(start, task=task, text=text))

    return tell


def submissions(
    root: Path, students: Collection[str] | None = None, modules: Collection[str] | None = None
) -> list[tuple[str, str]]:
    """Learner and module of all submissions of released modules, in name order."""
    found = sorted((p.parent.name, p.name) for p in (root / "submitted").glob("*/*") if p.is_dir())
    return [
        (student, module)
        for student, module in found
        if (students is None or student in students)
        and (modules is None or module in modules)
        and notebook_ids(database(root), module)
    ]


def _grade_one(root: Path, config: Config, student: str, module: str, graded: Graded) -> None:
    _stand_in(root, student, module)
    with warnings.catch_warnings():
        # What nbgrader 0.9.6 does to SQLAlchemy 2 is harmless, and not for an instructor to mend.
        warnings.simplefilter("ignore", SAWarning)
        _autograde(course_api(config), student, module, graded)
    graded.results.extend(results(root, student, module))
    graded.feedback.extend(sorted((root / "feedback" / student / module).glob("*.html")))


def _autograde(api: Any, student: str, module: str, graded: Graded) -> None:
    """Autograde and feedback of one submission; what fails is noted."""
    key = f"{student}/{module}"
    for step in (api.autograde, api.generate_feedback):
        result = cast(dict[str, Any], step(module, student, force=True))
        if result["success"]:
            continue
        error = str(result.get("error", ""))
        # nbgrader catches everything; a person's Ctrl-C still ends the batch.
        if error.rstrip().endswith("KeyboardInterrupt"):
            raise KeyboardInterrupt
        log.error("%s: %s", key, error)
        graded.problems[key] = f"{result.get('log', '')}\n{error}"
        break


def _stand_in(root: Path, student: str, module: str) -> None:
    """Put a notebook that says so where none is: nbgrader would pass over the folder."""
    folder = root / "submitted" / student / module
    if any(folder.glob("*.ipynb")):
        return
    for name in notebook_ids(database(root), module):
        (folder / f"{name}.ipynb").write_bytes(NOT_HANDED_IN)


def results(root: Path, student: str, module: str) -> list[TaskResult]:
    """Every task of one submission, in the module's order."""
    grading = records.latest(root, student, module)
    with Gradebook(database(root)) as gradebook:
        try:
            submission = cast(Any, gradebook).find_submission(module, student)
        except MissingEntry:
            return _not_graded(student, module)
        grades = {g.name: g for notebook in submission.notebooks for g in notebook.grades}
        tasks = [task.id for task in load_module(module).tasks if task.id in grades]
        return [_result(student, module, grades[task], grading) for task in tasks]


def _result(student: str, module: str, grade: Any, grading: records.Grading | None) -> TaskResult:
    record = grading.records.get(grade.name) if grading is not None else None
    score = of_grade(grade, module, grading)
    if record is not None:
        verdict, sentence = record.verdict.value, record.sentence
    elif load_module(module).task(grade.name).kind == "written":
        verdict, sentence = BY_HAND, by_hand(grade)
    else:
        verdict, sentence = Verdict.JUDGE_ERROR.value, _FAULT
    return TaskResult(
        student, module, grade.name, verdict, sentence, score.points, score.pending, score.possible
    )


def _not_graded(student: str, module: str) -> list[TaskResult]:
    """For a submission that nbgrader failed on before the gradebook knew of it."""
    return [
        TaskResult(
            student,
            module,
            task.id,
            Verdict.JUDGE_ERROR.value,
            _FAULT,
            0.0,
            float(task.points),
            float(task.points),
        )
        for task in load_module(module).tasks
    ]


def totals(found: Sequence[TaskResult]) -> Score:
    """The sum of points, open points and possible points."""
    return Score(
        sum(r.points for r in found), sum(r.pending for r in found), sum(r.possible for r in found)
    )
