"""Data for formgrader's lists: nbgrader's answers, with pending points separate from lost ones."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from nbgrader.apps.api import NbGraderAPI
from nbgrader.utils import parse_utc

from hotloop.course.attempts.store import store
from hotloop.course.formgrader.totals import columns, means
from hotloop.course.hand_in import SUBMITTED, TIMESTAMP, time_of
from hotloop.course.scores import Counting, ScoredNotebook, grouped, handed_in, scored

Row = dict[str, Any]


class ListsAPI(NbGraderAPI):
    """`NbGraderAPI` with points from `totals`; rows without totals are not changed."""

    def get_autograded_students(self, assignment_id: str) -> set[str]:
        """Add learners whose newest hand-in was dropped: they have grades of an earlier one."""
        nbgrader = cast(Any, super())
        graded: set[str] = nbgrader.get_autograded_students(assignment_id)
        others: set[str] = nbgrader.get_submitted_students(assignment_id) - graded
        return graded | {each for each in others if self._earlier_counts(each, assignment_id)}

    def get_assignment(self, assignment_id: str, released: Any = None) -> Row | None:
        """Return one assignment, with the class's means."""
        row = cast(Any, super()).get_assignment(assignment_id, released)
        notebooks = self._scored(assignment_id)
        if row is None or not notebooks:
            return row
        return {**row, **means(_by_learner(notebooks).values())}

    def get_notebooks(self, assignment_id: str) -> list[Row]:
        """Return an assignment's notebooks, with the class's means."""
        by_notebook = grouped(self._scored(assignment_id), lambda one: one.notebook)
        return [
            {**row, **means([one] for one in by_notebook.get(row["name"], []))}
            for row in cast(Any, super()).get_notebooks(assignment_id)
        ]

    def get_submission(
        self, assignment_id: str, student_id: str, ungraded: Any = None, students: Any = None
    ) -> Row | None:
        """Return one learner's submission of an assignment."""
        row = cast(Any, super()).get_submission(assignment_id, student_id, ungraded, students)
        if row is None:
            return None
        row |= self._extensions(assignment_id).get(student_id, {})
        if not row["autograded"]:
            return row
        return {**row, **columns(self._scored(assignment_id, student_id))}

    def get_submissions(self, assignment_id: str) -> list[Row]:
        """Return all submissions of an assignment."""
        by_student = _by_learner(self._scored(assignment_id))
        later = self._extensions(assignment_id)
        handed_in_now = cast(Any, self).get_submitted_students(assignment_id)
        rows: list[Row] = []
        for row in cast(Any, super()).get_submissions(assignment_id):
            graded = row["autograded"] and row["student"] in by_student
            points = columns(by_student[row["student"]]) if graded else {}
            if not points and row["student"] not in handed_in_now:
                # nbgrader takes an extension for a hand-in.
                row |= {"autograded": False, "submitted": False}
            rows.append({**row, **points, **later.get(row["student"], {})})
        return rows

    def get_notebook_submissions(self, assignment_id: str, notebook_id: str) -> list[Row]:
        """Return all submissions of a notebook."""
        by_notebook = grouped(self._scored(assignment_id), lambda one: (one.student, one.notebook))
        return [
            _with_points(row, by_notebook.get((row["student"], notebook_id)))
            for row in cast(Any, super()).get_notebook_submissions(assignment_id, notebook_id)
        ]

    def get_student(self, student_id: str, submitted: Any = None) -> Row | None:
        """Return one learner, with the points of all assignments."""
        row = cast(Any, super()).get_student(student_id, submitted)
        return row if row is None else {**row, **_of_learner(self._scored(student=student_id))}

    def learners(self) -> list[Row]:
        """Return all learners, with the points of all assignments.

        `get_students` stays nbgrader's, since its other methods call it often, for names only.
        """
        by_student = _by_learner(self._scored())
        return [
            {**row, **_of_learner(by_student.get(row["id"], []))}
            for row in cast(Any, super()).get_students()
        ]

    def get_student_notebook_submissions(self, student_id: str, assignment_id: str) -> list[Row]:
        """Return one learner's notebooks of an assignment."""
        by_notebook = grouped(self._scored(assignment_id, student_id), lambda one: one.notebook)
        rows = cast(Any, super()).get_student_notebook_submissions(student_id, assignment_id)
        return [
            _with_points(row, by_notebook.get(row["name"]) if row["id"] is not None else None)
            for row in rows
        ]

    def get_submitted_timestamp(self, assignment_id: str, student_id: str) -> datetime | None:
        """Return the time; None if there is none that can be parsed, where nbgrader fails."""
        root = Path(cast(Any, self).coursedir.root)
        try:
            text = time_of(root / SUBMITTED / student_id / assignment_id / TIMESTAMP)
        except OSError:  # one learner's file stops no list of all; grading names it
            return None
        return parse_utc(text) if text else None

    def _earlier_counts(self, student: str, module: str) -> bool:
        attempts = store(Path(cast(Any, self).coursedir.root))
        if attempts.published(student, module) is None or not (
            dropped := attempts.dropped(student, module)
        ):
            return False
        handed_in = cast(Any, self).get_submitted_timestamp(module, student)
        return any(
            attempt.number in dropped and parse_utc(attempt.handed_in) == handed_in
            for attempt in attempts.history(student, module)
            if attempt.handed_in
        )

    def _extensions(self, assignment_id: str) -> dict[str, Row]:
        """Return a column with the hours of each extension, by learner."""
        with cast(Any, self).gradebook as gradebook:
            submissions = gradebook.find_assignment(assignment_id).submissions
            later = {one.student_id: one.extension for one in submissions if one.extension}
        return {
            name: {"extension_hours": extra / timedelta(hours=1)} for name, extra in later.items()
        }

    def _scored(
        self, module: str | None = None, student: str | None = None
    ) -> list[ScoredNotebook]:
        root = Path(cast(Any, self).coursedir.root)
        with cast(Any, self).gradebook as gradebook:
            return handed_in(root, scored(gradebook, Counting.of(root), module, student))


def _by_learner(parts: list[ScoredNotebook]) -> dict[str, list[ScoredNotebook]]:
    return grouped(parts, lambda one: one.student)


def _with_points(row: Row, parts: list[ScoredNotebook] | None) -> Row:
    return row if parts is None else {**row, **columns(parts)}


def _of_learner(parts: list[ScoredNotebook]) -> Row:
    points = columns(parts)
    return {name: points[name] for name in ("score", "pending", "penalty")}
