"""Enters attempts into a course: nbgrader's gradebook, and the graded notebook.

Attempt, audit event, scores and late penalty are written in one transaction of nbgrader's database;
the notebook is written after it, and again if it is missing.
"""

import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import Connection
from traitlets import TraitError

from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.course import nodes
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import Attempt, Kind
from hotloop.course.attempts.store import store
from hotloop.course.config import CONFIG_FILE, load_config
from hotloop.course.gradebook import Place, cells_by_id, joined, submissions, submitted
from hotloop.course.hand_in import TIMESTAMP
from hotloop.course.points import of_attempt, settled
from hotloop.course.policy import seconds_late
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.verdicts import words as verdict_words

AUTOGRADED = "autograded"


class Book:
    """The only writer of a course's gradebook."""

    def __init__(self, root: Path, why: str = "graded", batch: str = "") -> None:
        """why, batch: texts for the audit log."""
        self._root = root
        self._why, self.batch = why, batch
        config = load_config(root)
        self.course_id = str(config.CourseDirectory.course_id)
        self._is_shared = bool(config.CourseDirectory.get("groupshared", False))
        try:
            self._late = cast(Any, AssignLatePenalties)(config=config)
            self._late.init_plugin()
        except TraitError as error:
            raise UserError(f"{root / CONFIG_FILE}: {error}") from None

    def enter(self, *attempts: Attempt) -> list[Attempt]:
        """Make attempts, of different submissions, count from now on: all or none.

        Safe to repeat.
        """
        # Remove the old notebooks first: after a crash, none is better than another attempt's.
        for attempt in attempts:
            self._remove(attempt)
        published = store(self._root).write(lambda connection: self._publish(connection, attempts))
        for attempt in published:
            self.write(attempt)
        return published

    def open(self, student: str, module: str, why: str = "graded anew") -> None:
        """Make a submission's grades pending, because its earlier attempt no longer counts."""
        event = within.begun(student, module, why=why, batch=self.batch)

        def work(connection: Connection) -> None:
            with joined(connection, self.course_id) as gradebook:
                _forget_scores(gradebook, student, module)
            within.note(connection, event)

        store(self._root).write(work)

    def decide(self, kind: Kind, attempt: Attempt, why: str, stands: Attempt | None) -> None:
        """Record that an attempt is dropped or restored, and enter the attempt that counts then.

        stands: that attempt; None if none is left, and all grades become pending.
        """
        student, module = attempt.student, attempt.module

        def work(connection: Connection) -> bool:
            counts = within.published(connection, student, module)
            old, new = of_attempt(counts), of_attempt(stands)
            within.note(connection, within.about(attempt, kind, "", why, self.batch, old, new))
            if within.is_begun(connection, student, module):
                return False  # the ongoing grading decides
            if stands is not None and (counts is None or counts.id != stands.id):
                self._remove(stands)
                self._publish(connection, [stands])
                return True
            if stands is None:
                with joined(connection, self.course_id) as gradebook:
                    _forget_scores(gradebook, student, module)
                self._outdate(student, module)
            return False

        if store(self._root).write(work) and stands is not None:
            self.write(stands)

    def apply_rules(self, places: Iterable[Place]) -> list[Place]:
        """Enter late penalties by the current dates and rule, without executing anything.

        Returns learner and module of the submissions that changed.
        """

        def work(connection: Connection) -> list[Place]:
            with joined(connection, self.course_id) as gradebook:
                return self.penalize(gradebook, places)

        return store(self._root).write(work)

    def penalize(self, gradebook: Any, places: Iterable[Place]) -> list[Place]:
        """Do `apply_rules` inside a transaction, with the changes made to `gradebook` so far."""
        # The penalty depends on nbgrader's score, which the database computes.
        gradebook.db.flush()
        by_place = submissions(gradebook, places)
        changed = [place for place, submission in by_place.items() if self._penalize(submission)]
        for place in changed:
            self._outdate(*place)
        return changed

    def write(self, attempt: Attempt) -> None:
        """Write the graded notebook, and the learner's files that are shown with it."""
        folder = self._folder(attempt)
        staged = folder.with_name(f".{folder.name}.part")
        shutil.rmtree(staged, ignore_errors=True)
        shown = {name: text.encode() for name, text in attempt.files.items()}
        shown[NOTEBOOK] = json.dumps(filled(attempt)).encode()
        if attempt.handed_in:
            shown[TIMESTAMP] = attempt.handed_in.encode()
        for name, data in shown.items():
            path = staged / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self._set_modes(staged)
        self._remove(attempt)
        staged.rename(folder)

    def _outdate(self, student: str, module: str) -> None:
        """Make the notebook newer than the learner's page, so that a later run renews the page.

        This process may be killed before it does so itself.
        """
        with suppress(OSError):
            os.utime(self._root / AUTOGRADED / student / module / NOTEBOOK)

    def _folder(self, attempt: Attempt) -> Path:
        return self._root / AUTOGRADED / attempt.student / attempt.module

    def _remove(self, attempt: Attempt) -> None:
        shutil.rmtree(self._folder(attempt), ignore_errors=True)

    def _publish(self, connection: Connection, attempts: Sequence[Attempt]) -> list[Attempt]:
        published = [self._log(connection, attempt) for attempt in attempts]
        with joined(connection, self.course_id) as gradebook:
            by_place = submitted(gradebook, [(a.student, a.module, a.handed_in) for a in published])
            for attempt in published:
                _score(by_place[attempt.student, attempt.module], attempt)
            gradebook.db.flush()
            for submission in by_place.values():
                self._penalize(submission)
        return published

    def _log(self, connection: Connection, attempt: Attempt) -> Attempt:
        """Store the attempt and the event that it counts."""
        stored = within.add(connection, attempt)
        before = within.last_published(connection, stored.student, stored.module)
        event = within.about(
            stored,
            Kind.PUBLISHED,
            "",
            self._why,
            self.batch,
            of_attempt(before),
            of_attempt(stored),
        )
        within.note(connection, event)
        return stored

    def _penalize(self, submission: Any) -> bool:
        """Set the late penalty by the course's rule; return True if it changed."""
        changed = False
        late = seconds_late(submission)
        for notebook in submission.notebooks:
            penalty = None
            if late > 0:
                penalty = self._late.plugin_inst.late_submission_penalty(
                    submission.student_id, notebook.score, late
                )
            if penalty is not None:
                penalty = min(max(penalty, 0.0), notebook.score)
            changed |= (penalty or 0.0) != (notebook.late_submission_penalty or 0.0)
            notebook.late_submission_penalty = penalty
        return changed

    def _set_modes(self, folder: Path) -> None:
        """Set the file modes that nbgrader uses for graded submissions."""
        for name, _, files in os.walk(folder):
            if self._is_shared:
                Path(name).chmod(0o2770)
            for file in files:
                (Path(name) / file).chmod(0o664 if self._is_shared else 0o444)


def filled(attempt: Attempt) -> dict[str, Any]:
    """Return the notebook with its outputs, in nbformat 4."""
    assert attempt.notebook is not None
    outputs = enumerate(attempt.outputs, start=1)
    cells: list[Mapping[str, Any]] = []
    for cell in attempt.notebook["cells"]:
        if cell["cell_type"] != "code":
            cells.append(cell)
            continue
        number, shown = next(outputs)
        cells.append({**cell, "execution_count": number, "outputs": list(shown)})
    return {**attempt.notebook, "cells": cells}


def pending_comment(record: Record) -> str:
    """Describe which checks of a task are still open, and why."""
    reasons = "; ".join(
        f"{check.check}: {check.verdict.value.replace('_', ' ')} – {check.sentence}"
        for check in record.checks
        if check.verdict.pending
    )
    return f"Pending, not lost: {reasons}"


def _score(submission: Any, attempt: Attempt) -> None:
    """Enter the judge's points, and nothing else of the notebook.

    A task with an open check gets no score. An unchanged written answer gets zero points, as in
    nbgrader; a changed one waits for a person.
    """
    assert attempt.notebook is not None
    graded = [nodes.of(cell) for cell in attempt.notebook["cells"]]
    graded = [cell for cell in graded if "nbgrader" in cell.metadata]
    cells = {str(cell.metadata.nbgrader.grade_id): cell for cell in graded}
    judged_in = _judged_in(graded)
    for notebook in submission.notebooks:
        known = cells_by_id(notebook)
        for grade in notebook.grades:
            name, worth = known[grade.cell_id].name, known[grade.cell_id].max_score
            cell = cells.get(name)
            if cell is not None and utils.is_solution(cell):
                grade.auto_score, _ = cast(Any, utils.determine_grade)(cell)
                is_open = grade.auto_score is None
            else:
                score = settled(attempt.module, name, attempt.records.get(name), worth)
                grade.auto_score = None if score.pending else score.points
                is_open = False
            # A person's earlier decision must be reviewed; points that the judge left open are not
            # for a person to give.
            grade.needs_manual_grade = is_open or grade.manual_score is not None
        for comment in notebook.comments:
            name = known[comment.cell_id].name
            record = attempt.records.get(judged_in.get(name, ""))
            comment.auto_comment = _comment(cells.get(name), record)


def _comment(cell: NotebookNode | None, record: Record | None) -> str | None:
    if record is not None and record.pending:
        return pending_comment(record)
    if record is not None and verdict_words.instrumented(record):
        names = [r.check for r in record.checks if r.instrumented and r.earned > 0]
        return f"Instrumented: {', '.join(names)}. A process with the learner's code said so."
    if cell is None or utils.is_task(cell):
        return None
    is_untouched = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
    return "No response." if is_untouched else None


def _judged_in(graded: Sequence[NotebookNode]) -> dict[str, str]:
    """Map each cell that a learner fills in to the task that is judged after it."""
    task_of: dict[str, str] = {}
    waiting: list[str] = []
    for cell in graded:
        grade_id = str(cell.metadata.nbgrader.grade_id)
        if utils.is_grade(cell) and not utils.is_solution(cell):
            task_of.update((answer, grade_id) for answer in waiting)
            waiting = []
        elif utils.is_solution(cell) and not utils.is_grade(cell):
            waiting.append(grade_id)
    return task_of


def _forget_scores(gradebook: Any, student: str, module: str) -> None:
    """Make all automatic scores of a submission pending; manual scores stay."""
    for submission in submissions(gradebook, [(student, module)]).values():
        for notebook in submission.notebooks:
            notebook.late_submission_penalty = None
            for grade in notebook.grades:
                grade.auto_score = None
