"""Enters attempts into a course: nbgrader's gradebook, and the graded notebook.

Attempt, audit event, scores and late penalty are written in one transaction of nbgrader's database;
the notebook is written after it, and again if it is missing.
"""

import errno
import json
import os
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from glob import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import parse_utc
from sqlalchemy import Connection
from traitlets import TraitError

from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.course import nodes
from hotloop.course import worth as course_worth
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import Attempt, AuditEvent, Kind
from hotloop.course.attempts.store import store
from hotloop.course.config import CONFIG_FILE, load_config
from hotloop.course.gradebook import (
    Place,
    cells_by_id,
    joined,
    places,
    set_worth_of_cells,
    submissions,
    submitted,
    worth_of_cells,
)
from hotloop.course.hand_in import TIMESTAMP
from hotloop.course.points import of_attempt, of_grade
from hotloop.course.policy import seconds_late, seconds_late_at
from hotloop.course.scores import Counting, ScoredNotebook
from hotloop.course.standing import hand_ins
from hotloop.course.worth import LateHandIns, ModuleWorth, Worth, of_course
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.verdicts import render_record
from hotloop.verdicts import words as verdict_words

AUTOGRADED = "autograded"
WHY_BETTER = "its total is the better one of two hand-ins"
MOST_TRIES = 1000
"""Times that one grading replaces a notebook that others replace too."""
ABANDONED_S = 3600.0
"""Age, in seconds, from which a half-written notebook was left by a grading that was killed."""


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

        Returns those that count, which are others where earlier hand-ins have a better total and
        the course lets that count. Safe to repeat.
        """
        # Remove the old notebooks first: after a crash, none is better than another attempt's.
        for attempt in attempts:
            self._remove(attempt)

        def work(connection: Connection) -> list[Attempt]:
            published = self._publish(connection, attempts, self._why)
            places = [(attempt.student, attempt.module) for attempt in attempts]
            better = {(one.student, one.module): one for one in self._settle(connection, places)}
            return [better.get((one.student, one.module), one) for one in published]

        published = store(self._root).write(work)
        counting = Counting.of(self._root)
        for attempt in published:
            self.write(attempt, counting)
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
            worth = of_course(connection, module)
            old, new = of_attempt(counts, worth), of_attempt(stands, worth)
            within.note(connection, within.about(attempt, kind, "", why, self.batch, old, new))
            if within.is_begun(connection, student, module):
                return False  # the ongoing grading decides
            if stands is not None and (counts is None or counts.id != stands.id):
                self._remove(stands)
                self._publish(connection, [stands], self._why)
                return True
            if stands is None:
                with joined(connection, self.course_id) as gradebook:
                    _forget_scores(gradebook, student, module)
                self._outdate(student, module)
            return False

        if store(self._root).write(work) and stands is not None:
            self.write(stands)
        self.settle([(student, module)])

    def apply_rules(self, places: Iterable[Place]) -> list[Place]:
        """Enter late penalties by the current dates and rule, without executing anything.

        Returns learner and module of the submissions that changed.
        """

        def work(connection: Connection) -> list[Place]:
            with joined(connection, self.course_id) as gradebook:
                return self.penalize(gradebook, places)

        places = list(places)
        changed = store(self._root).write(work)
        return sorted({*changed, *self.settle(places)})

    def settle(self, places: Iterable[Place]) -> list[Place]:
        """Let the hand-in with the better total count, where the course says so.

        Returns learner and module of those that change. Nothing is executed.
        """
        places = list(places)

        def work(connection: Connection) -> list[Attempt]:
            better = self._settle(connection, places)
            for attempt in better:
                self._remove(attempt)
            return better

        better = store(self._root).write(work)
        counting = Counting.of(self._root)
        for attempt in better:
            self.write(attempt, counting)
        return [(attempt.student, attempt.module) for attempt in better]

    def penalize(self, gradebook: Any, places: Iterable[Place]) -> list[Place]:
        """Do `apply_rules` inside a transaction, with the changes made to `gradebook` so far."""
        # The penalty depends on nbgrader's score, which the database computes.
        gradebook.db.flush()
        by_place = submissions(gradebook, places)
        counting = Counting.within(gradebook.db.connection())
        changed = [place for place, one in by_place.items() if self._penalize(one, counting)]
        for place in changed:
            self._outdate(*place)
        return changed

    def revalue(
        self, connection: Connection, events: Iterable[AuditEvent], modules: Collection[str]
    ) -> None:
        """Note what checks are worth, inside a transaction, and enter the marks that follow.

        Nothing is executed. A mark by a person is a share of the cell's points, and stays that
        share. modules: those that it concerns.
        """
        before = {module: of_course(connection, module) for module in modules}
        for event in events:
            within.note(connection, event)
        counting = Counting.within(connection)
        with joined(connection, self.course_id) as gradebook:
            wanted = [place for place in sorted(places(gradebook)) if place[1] in modules]
            for module in modules:
                # Before the first submission is entered, the cells say what the notebook says.
                if course_worth.is_agreed(connection, module):
                    set_cells(gradebook, counting.worth(module))
            for (student, module), submission in submissions(gradebook, wanted).items():
                attempt = counting.published(student, module)
                _revalue(submission, attempt, before[module], counting.worth(module))
            self.penalize(gradebook, wanted)
        self._settle(connection, wanted)

    def withdraw(self, places: Iterable[Place]) -> None:
        """Remove graded notebooks that are about to be written anew, of attempts that count.

        If that does not happen, the next grading writes them, and the pages.
        """
        attempts = store(self._root)
        for student, module in places:
            if (counts := attempts.published(student, module)) is not None:
                self._remove(counts)

    def write(self, attempt: Attempt, counting: Counting | None = None) -> None:
        """Write the graded notebook, and the learner's files that are shown with it."""
        worth = (counting or Counting.of(self._root)).worth(attempt.module)
        folder = self._folder(attempt)
        # Two gradings may write one learner's notebook at once: each in a folder of its own.
        staged = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}.part")
        shown = {name: text.encode() for name, text in attempt.files.items()}
        shown[NOTEBOOK] = json.dumps(filled(attempt, worth)).encode()
        if attempt.handed_in:
            shown[TIMESTAMP] = attempt.handed_in.encode()
        for name, data in shown.items():
            path = staged / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self._set_modes(staged)
        _put_in_place(staged, folder)

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

    def _agree(self, connection: Connection, module: str) -> None:
        """Note what a module's checks are worth, once: from now on only an event changes it."""
        if course_worth.is_agreed(connection, module):
            return
        with joined(connection, self.course_id) as gradebook:
            cells = worth_of_cells(gradebook, module)
            tasks = ModuleWorth(tasks=dict(of_course(connection, module).tasks))
            why = "as in module.yaml when the first submission was entered"
            within.note(connection, course_worth.noted(tasks, module, why, self.batch))
            if cells:
                set_cells(gradebook, of_course(connection, module))

    def _settle(self, connection: Connection, places: Iterable[Place]) -> list[Attempt]:
        """Do `settle` inside a transaction, without the notebooks; return what counts anew."""
        if course_worth.late_hand_ins(connection) is not LateHandIns.BETTER:
            return []
        counting = Counting.within(connection)
        with joined(connection, self.course_id) as gradebook:
            better = [
                one
                for submission in submissions(gradebook, places).values()
                if (one := self._better(connection, submission, counting)) is not None
            ]
        return self._publish(connection, better, WHY_BETTER)

    def _better(
        self, connection: Connection, submission: Any, counting: Counting
    ) -> Attempt | None:
        """Return the attempt that has to count in place of the one that does; None for none.

        Of equal totals the earlier hand-in's.
        """
        student, module = submission.student_id, submission.assignment.name
        counts = counting.published(student, module)
        if counts is None:
            return None  # the ongoing grading decides
        worth = counting.worth(module)
        last = hand_ins(connection, student, module)
        best = max(
            last, key=lambda one: (self._total(submission, one, worth), -one.number), default=counts
        )
        return best if best.id != counts.id else None

    def _total(self, submission: Any, attempt: Attempt, worth: Worth) -> float:
        """Return the points that a submission would have with an attempt.

        Those that a person gave stay as they are.
        """
        cells = _tracked(attempt)
        points = 0.0
        for notebook in submission.notebooks:
            known = cells_by_id(notebook)
            for grade in notebook.grades:
                name = known[grade.cell_id].name
                as_it_would_be = SimpleNamespace(
                    name=name,
                    auto_score=_auto_score(cells.get(name), attempt, name, worth),
                    manual_score=grade.manual_score,
                    extra_credit=grade.extra_credit,
                    max_score=grade.max_score,
                )
                points += of_grade(as_it_would_be, worth, attempt).points
        at = parse_utc(attempt.handed_in) if attempt.handed_in else None
        late = seconds_late_at(submission, at)
        return points - (self._penalty(submission.student_id, points, late) or 0.0)

    def _publish(
        self, connection: Connection, attempts: Sequence[Attempt], why: str
    ) -> list[Attempt]:
        for module in sorted({attempt.module for attempt in attempts}):
            self._agree(connection, module)
        counting = Counting.within(connection)
        published = [self._log(connection, attempt, counting, why) for attempt in attempts]
        with joined(connection, self.course_id) as gradebook:
            by_place = submitted(gradebook, [(a.student, a.module, a.handed_in) for a in published])
            for attempt in published:
                worth = counting.worth(attempt.module)
                _score(by_place[attempt.student, attempt.module], attempt, worth)
            gradebook.db.flush()
            for submission in by_place.values():
                self._penalize(submission, counting)
        return published

    def _log(
        self, connection: Connection, attempt: Attempt, counting: Counting, why: str
    ) -> Attempt:
        """Store the attempt and the event that it counts."""
        stored = within.add(connection, attempt)
        before = within.last_published(connection, stored.student, stored.module)
        worth = counting.worth(stored.module)
        event = within.about(
            stored,
            Kind.PUBLISHED,
            "",
            why,
            self.batch,
            of_attempt(before, worth),
            of_attempt(stored, worth),
        )
        within.note(connection, event)
        return stored

    def _penalize(self, submission: Any, counting: Counting) -> bool:
        """Set the late penalty by the course's rule; return True if it changed.

        The rule is asked about the points so far, as they are shown: those of a task that is still
        open are in no score of nbgrader's.
        """
        changed = False
        late = seconds_late(submission)
        for notebook in submission.notebooks:
            penalty = None
            if late > 0:
                points = _points_so_far(submission, notebook, counting)
                penalty = self._penalty(submission.student_id, points, late)
            changed |= (penalty or 0.0) != (notebook.late_submission_penalty or 0.0)
            notebook.late_submission_penalty = penalty
        return changed

    def _penalty(self, student: str, points: float, late: float) -> float | None:
        """Return what the course's rule takes for seconds of lateness; None if it says nothing."""
        if late <= 0:
            return None
        penalty = self._late.plugin_inst.late_submission_penalty(student, points, late)
        return None if penalty is None else min(max(penalty, 0.0), points)

    def _set_modes(self, folder: Path) -> None:
        """Set the file modes that nbgrader uses for graded submissions."""
        for name, _, files in os.walk(folder):
            if self._is_shared:
                Path(name).chmod(0o2770)
            for file in files:
                (Path(name) / file).chmod(0o664 if self._is_shared else 0o444)


def _put_in_place(staged: Path, folder: Path) -> None:
    """Replace a folder, also while another process does the same: the last one stays."""
    for _ in range(MOST_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            staged.rename(folder)
            break
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
    else:
        shutil.rmtree(staged, ignore_errors=True)
        raise OSError(errno.EBUSY, "other gradings keep replacing it", str(folder))
    for left in folder.parent.glob(f".{escape(folder.name)}.*.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED_S:
                shutil.rmtree(left, ignore_errors=True)


def filled(attempt: Attempt, worth: Worth) -> dict[str, Any]:
    """Return the notebook with its outputs, in nbformat 4.

    The verdict below a task's check is made here, with what it is worth now.
    """
    assert attempt.notebook is not None
    outputs = enumerate(attempt.outputs, start=1)
    cells: list[Mapping[str, Any]] = []
    for given in attempt.notebook["cells"]:
        cell = _with_points(given, worth)
        if cell["cell_type"] != "code":
            cells.append(cell)
            continue
        number, shown = next(outputs)
        record = attempt.records.get(_checked_task(cell))
        if record is not None:
            shown = [_verdict(record, worth)]
        cells.append({**cell, "execution_count": number, "outputs": list(shown)})
    return {**attempt.notebook, "cells": cells}


def set_cells(gradebook: Any, worth: Worth) -> None:
    """Set the points of the graded cells in nbgrader's gradebook, for nbgrader's own pages."""
    points = {task: worth.possible(task) for task in worth.tasks}
    set_worth_of_cells(gradebook, worth.module, points)


def _with_points(cell: Mapping[str, Any], worth: Worth) -> Mapping[str, Any]:
    """Return the cell with its points, which formgrader's page shows as its maximum."""
    about = cell["metadata"].get("nbgrader", {})
    task = about.get("grade_id")
    if "points" not in about or task not in worth.tasks:
        return cell
    about = {**about, "points": worth.possible(task)}
    return {**cell, "metadata": {**cell["metadata"], "nbgrader": about}}


def _checked_task(cell: Mapping[str, Any]) -> str:
    """Return the task that a cell has judged; "" for other cells."""
    about = cell["metadata"].get("nbgrader", {})
    is_check = about.get("grade") and not about.get("solution")
    return str(about.get("grade_id", "")) if is_check else ""


def _verdict(record: Record, worth: Worth) -> NotebookNode:
    """Return the output below a task's cell."""
    known = worth.is_judged(record.task)
    score = worth.score(record.task, record) if known else None
    points = worth.checks(record.task) if known else {}
    shown = worth.shown(record)
    data = {
        "text/html": render_record.html(shown, score, points),
        "text/plain": render_record.text(shown, score),
    }
    return nodes.display(data)


def _points_so_far(submission: Any, notebook: Any, counting: Counting) -> float:
    module = submission.assignment.name
    counts = lru_cache(maxsize=1)(counting.published)
    one = ScoredNotebook(submission.student_id, module, "", 0.0, counts, counting.worth(module))
    return sum(one.score(grade).points for grade in notebook.grades)


def pending_comment(record: Record) -> str:
    """Describe which checks of a task are still open, and why."""
    reasons = "; ".join(
        f"{check.check}: {check.verdict.value.replace('_', ' ')} – {check.sentence}"
        for check in record.checks
        if check.verdict.pending
    )
    return f"Pending, not lost: {reasons}"


def _score(submission: Any, attempt: Attempt, worth: Worth) -> None:
    """Enter the judge's points, and nothing else of the notebook.

    A task with an open check gets no score. An unchanged written answer gets zero points, as in
    nbgrader; a changed one waits for a person.
    """
    cells = _tracked(attempt)
    for notebook in submission.notebooks:
        known = cells_by_id(notebook)
        for grade in notebook.grades:
            name = known[grade.cell_id].name
            cell = cells.get(name)
            grade.auto_score = _auto_score(cell, attempt, name, worth)
            is_open = cell is not None and utils.is_solution(cell) and grade.auto_score is None
            # A person's earlier decision must be reviewed; points that the judge left open are not
            # for a person to give.
            grade.needs_manual_grade = (
                is_open or grade.manual_score is not None or name in attempt.persons
            )
    _comment_on(submission, attempt, worth)


def _auto_score(
    cell: NotebookNode | None, attempt: Attempt, name: str, worth: Worth
) -> float | None:
    """Return the points of a cell without a person's; None while something is open."""
    if cell is None or not utils.is_solution(cell):
        return _mark(attempt, name, worth)
    return cast(Any, utils.determine_grade)(cell)[0]


def _comment_on(submission: Any, attempt: Attempt, worth: Worth) -> None:
    cells = _tracked(attempt)
    judged_in = _judged_in(list(cells.values()))
    for notebook in submission.notebooks:
        known = cells_by_id(notebook)
        for comment in notebook.comments:
            name = known[comment.cell_id].name
            record = attempt.records.get(judged_in.get(name, ""))
            if record is not None:
                record = worth.shown(record)
            comment.auto_comment = _comment(cells.get(name), record)


def _tracked(attempt: Attempt) -> dict[str, NotebookNode]:
    """Return the cells that nbgrader tracks, by name, in order."""
    assert attempt.notebook is not None
    cells = [nodes.of(cell) for cell in attempt.notebook["cells"]]
    return {
        str(cell.metadata.nbgrader.grade_id): cell for cell in cells if "nbgrader" in cell.metadata
    }


def _mark(attempt: Attempt, task: str, worth: Worth) -> float | None:
    """Return the judge's mark for the gradebook; None for what is open, or is no task."""
    return worth.mark(task, attempt.records.get(task)) if worth.is_judged(task) else None


def _revalue(submission: Any, attempt: Attempt | None, before: Worth, after: Worth) -> None:
    for notebook in submission.notebooks:
        known = cells_by_id(notebook)
        for grade in notebook.grades:
            name = known[grade.cell_id].name
            if attempt is not None and after.is_judged(name):
                grade.auto_score = _mark(attempt, name, after)
            if grade.manual_score is not None and name in before.tasks and name in after.tasks:
                old, new = before.scale(name), after.scale(name)
                grade.manual_score = round(grade.manual_score * new / old, 9)
    if attempt is not None:
        _comment_on(submission, attempt, after)


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
