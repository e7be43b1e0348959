"""Exports grades as CSV: a row for each submission, or for an LMS a row for each learner.

nbgrader's own export writes 0 for a missing grade, which looks like an earned zero. `nbgrader
export` in a course configured by `hotloop.course.config` writes the first kind, `hotloop course
export` both.
"""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin

from hotloop.course.gradebook import read
from hotloop.course.points import is_open
from hotloop.course.scores import (
    Counting,
    ScoredNotebook,
    before_penalty,
    grouped,
    handed_in,
    penalty,
    scored,
    whole,
)
from hotloop.course.worth import Worth
from hotloop.tasks.problem import Score
from hotloop.verdicts.render_record import number

PENDING = "pending"
SO_FAR = "so far"
FINAL = "final"
NOT_SUBMITTED = "not submitted"

COLUMNS: tuple[str, ...] = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
    "status",
    "points_so_far",
    "points_pending",
    "pending_tasks",
    "instrumented_tasks",
    "gpu_checks",
)
PERSON = ("student_id", "last_name", "first_name", "email")
OPEN = "open"
"""Column of the wide table: which of its numbers may still rise, and by how much."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class WideTable:
    """A row for each learner. columns: in order; possible: the maximum of each column of points."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    possible: dict[str, float]


class PendingCsvExport(ExportPlugin):
    """nbgrader's columns, and what is still open.

    `score` and `raw_score` are "pending" while any grade is missing, so that no number can be
    mistaken for the result; "so far" is the status of a mark that stands and may rise.
    `points_so_far` counts what is settled, minus the late penalty. Points of `instrumented_tasks`
    rest on what the learner's own process said.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the file named by `--to`, or grades.csv."""
        path = Path(str(self.to) or "grades.csv")
        wanted = {str(name) for name in cast(Any, self).assignment}
        students = {str(name) for name in cast(Any, self).student}
        root = Path(cast(Any, self.parent).coursedir.root)
        write(path, COLUMNS, rows(gradebook, root, wanted, students))


def write(path: Path, columns: Sequence[str], table: Iterable[Mapping[str, Any]]) -> None:
    """Write a CSV file in which a spreadsheet finds no formulas: names are learners' text."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, restval="")
        writer.writeheader()
        writer.writerows({name: _plain(value) for name, value in row.items()} for row in table)


def table(root: Path, wanted: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return `rows` of the course at `root`."""
    return read(root, lambda gradebook: list(rows(gradebook, root, wanted)))


def rows(
    gradebook: Gradebook, root: Path, wanted: Collection[str] = (), students: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield a row for each student's work on each assignment of the course at `root`.

    wanted: the only assignments; students: the only students; empty for all.
    """
    counting = Counting.of(root)
    parts = handed_in(root, scored(gradebook, counting))
    works = grouped(parts, lambda part: part.place)
    for assignment in _assignments(gradebook, wanted):
        worth = counting.worth(assignment.name)
        for student in cast(Any, gradebook).students:
            if not students or student.id in students:
                work = works.get((student.id, assignment.name))
                yield _row(gradebook, assignment, student, work, worth)


def wide(root: Path, wanted: Collection[str] = (), *, by_task: bool = False) -> WideTable:
    """Return the table for an LMS: a column for each module, or for each of their tasks.

    Its numbers are the points so far; those of modules are after the late penalty. 0 for what was
    not handed in.
    """

    def work(gradebook: Any) -> WideTable:
        counting = Counting.within(gradebook.db.connection())
        parts = handed_in(root, scored(gradebook, counting))
        works = grouped(parts, lambda part: part.place)
        chosen = _assignments(gradebook, wanted)
        modules = [assignment.name for assignment in chosen]
        possible = {
            name: most
            for each in chosen
            for name, most in _columns(counting.worth(each.name), each.max_score, by_task=by_task)
        }
        lines = [
            _wide_row(student, {m: works.get((student.id, m), []) for m in modules}, possible)
            for student in gradebook.students
        ]
        return WideTable((*PERSON, *possible, OPEN), lines, possible)

    return read(root, work)


def score_of(root: Path, student: str, module: str) -> Score | None:
    """Return a learner's points as every export has them; None for nothing handed in.

    What is told to an LMS comes from here too.
    """

    def work(gradebook: Any) -> Score | None:
        counting = Counting.within(gradebook.db.connection())
        parts = handed_in(root, scored(gradebook, counting, module, student))
        return whole(parts) if parts else None

    return read(root, work)


def _row(
    gradebook: Gradebook,
    assignment: Any,
    student: Any,
    work: Sequence[ScoredNotebook] | None,
    worth: Worth,
) -> dict[str, Any]:
    possible = sum(worth.possible(task) for task in worth.tasks) or assignment.max_score
    known = {
        "assignment": assignment.name,
        "duedate": assignment.duedate or "",
        **_person(student),
        "max_score": possible,
        "gpu_checks": worth.gpu.value if worth.has_gpu_checks else "",
    }
    if work is None:
        nothing = dict.fromkeys(("raw_score", "score", "points_so_far", "points_pending"), 0.0)
        return {**known, **nothing, "status": NOT_SUBMITTED}
    submission = cast(Any, gradebook).find_submission(assignment.name, student.id)
    grades = [(part, grade) for part in work for grade in part.grades]
    waits = any(is_open(grade) for _, grade in grades)
    pending = [grade.name for part, grade in grades if part.score(grade).pending]
    instrumented = [grade.name for part, grade in grades if part.is_instrumented(grade)]
    score = whole(work)
    return {
        **known,
        "timestamp": submission.timestamp or "",
        "raw_score": PENDING if waits else before_penalty(work).points,
        "late_submission_penalty": penalty(work),
        "score": PENDING if waits else score.points,
        "max_score": score.possible,
        "status": PENDING if waits else SO_FAR if score.pending else FINAL,
        "points_so_far": score.points,
        "points_pending": score.pending,
        "pending_tasks": " ".join(sorted(pending)),
        "instrumented_tasks": " ".join(sorted(instrumented)),
    }


def _wide_row(
    student: Any, works: Mapping[str, Sequence[ScoredNotebook]], columns: Collection[str]
) -> dict[str, Any]:
    scores: dict[str, Score] = {}
    for module, work in works.items():
        scores[module] = whole(work)
        scores |= {
            f"{module}.{grade.name}": part.score(grade) for part in work for grade in part.grades
        }
    shown = {name: scores[name] if name in scores else Score(0.0, 0.0, 0.0) for name in columns}
    still = [f"{name}: {number(score.pending)}" for name, score in shown.items() if score.pending]
    points = {name: score.points for name, score in shown.items()}
    return {**_person(student), **points, OPEN: "; ".join(still)}


def _columns(worth: Worth, otherwise: float, *, by_task: bool) -> list[tuple[str, float]]:
    """Return the columns of an assignment, each with its maximum.

    otherwise: the maximum of an assignment that is no module, which has one column.
    """
    tasks = [(f"{worth.module}.{task}", worth.possible(task)) for task in worth.tasks]
    if by_task and tasks:
        return tasks
    return [(worth.module, sum(most for _, most in tasks) if tasks else otherwise)]


def _person(student: Any) -> dict[str, str]:
    return {
        "student_id": student.id,
        "last_name": student.last_name or "",
        "first_name": student.first_name or "",
        "email": student.email or "",
    }


def _assignments(gradebook: Any, wanted: Collection[str]) -> list[Any]:
    return [each for each in gradebook.assignments if not wanted or each.name in wanted]


def _plain(value: Any) -> Any:
    """Return text that no spreadsheet evaluates; nothing else is changed."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
