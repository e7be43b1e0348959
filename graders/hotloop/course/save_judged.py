"""Writes the judge's points into nbgrader's gradebook, and nothing else of the notebook.

A task with an open rung gets no automatic score: that is nbgrader's own way of saying that a grade
is still needed, and formgrader shows it so.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import SaveAutoGrades
from traitlets import Unicode

from hotloop import curriculum, problem
from hotloop.core.record import Record
from hotloop.course import records
from hotloop.course.judged_execute import GRADING, OTHER


class SaveJudged(SaveAutoGrades):
    """`SaveAutoGrades` with scores from records; written tasks stay with nbgrader."""

    why = Unicode("graded", help="Why grades change, for the audit log.").tag(config=True)
    batch = Unicode("", help="Names the command of which this is a part.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Save all scores of one notebook, and then that they are saved."""
        grading: records.Grading = resources[GRADING]
        self._records = grading.records
        self._answers = _solution_cells(nb)
        nb, resources = cast(Any, super()).preprocess(nb, resources)
        root = Path(resources["metadata"]["path"]).parents[2]
        records.keep(root, grading, self.why, self.batch)
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: Any) -> None:
        # Whether a written answer is there is seen in the hand-in that counts, and nowhere else.
        if utils.is_solution(cell) and not resources[OTHER]:
            cast(Any, super())._add_score(cell, resources)
            return
        gradebook = cast(Any, self.gradebook)
        names = resources["nbgrader"]
        grade_id = str(cell.metadata["nbgrader"]["grade_id"])
        grade = gradebook.find_grade(
            grade_id, names["notebook"], names["assignment"], names["student"]
        )
        grade.auto_score = _auto_score(names["assignment"], grade_id, self._records)
        grade.needs_manual_grade = grade.auto_score is None or grade.manual_score is not None
        gradebook.db.commit()

    def _add_comment(self, cell: NotebookNode, resources: Any) -> None:
        cast(Any, super())._add_comment(cell, resources)
        grade_id = cell.metadata["nbgrader"]["grade_id"]
        record = self._records.get(self._answers.get(grade_id, ""))
        is_pending = record is not None and record.pending
        if not is_pending and not resources[OTHER]:
            return
        gradebook = cast(Any, self.gradebook)
        names = resources["nbgrader"]
        comment = gradebook.find_comment(
            grade_id, names["notebook"], names["assignment"], names["student"]
        )
        comment.auto_comment = pending_comment(record) if record and is_pending else None
        gradebook.db.commit()


def _auto_score(module: str, grade_id: str, found: Mapping[str, Record]) -> float | None:
    """None while points are open, and for a graded cell that is no task of the module."""
    record = found.get(grade_id)
    if record is None:
        return None
    score = problem.settle(curriculum.load_module(module), grade_id, record)
    return None if score.pending else score.points


def pending_comment(record: Record) -> str:
    """What is still open of a task, and why."""
    open_rungs = [rung for rung in record.rungs if rung.verdict.pending]
    reasons = "; ".join(
        f"{rung.rung}: {rung.verdict.value.replace('_', ' ')} – {rung.sentence}"
        for rung in open_rungs
    )
    return f"Pending, not lost: {reasons}"


def _solution_cells(nb: NotebookNode) -> dict[str, str]:
    """For each cell that a learner fills in: the task that is judged after it."""
    found: dict[str, str] = {}
    waiting: list[str] = []
    for cell in nb.cells:
        grade_id = str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
        if utils.is_grade(cell) and not utils.is_solution(cell):
            found.update((answer, grade_id) for answer in waiting)
            waiting = []
        elif utils.is_solution(cell) and not utils.is_grade(cell):
            waiting.append(grade_id)
    return found
