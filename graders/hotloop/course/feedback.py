"""Adds to nbgrader's feedback pages: verdicts, and which points are still open."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import GetGrades

from hotloop.core.record import Record
from hotloop.course import learner_files, requests, rubric
from hotloop.course.attempts.store import store
from hotloop.course.points import by_hand, by_judge, is_open, of_grade, total
from hotloop.course.standing import all_dropped, zero_reason
from hotloop.course.worth import of_course
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Task, load_module
from hotloop.tasks.problem import Score
from hotloop.verdicts import words as verdict_words
from hotloop.verdicts.render_record import (
    LINES_STYLE,
    color_of,
    figures,
    number,
    points_text,
    prose,
)

_DROPPED = "This attempt was dropped. All its points are open, and what it got is void."

SUMMARY = "hotloop_summary"
"""Key of the page's summary in nbconvert's resources."""


@dataclass(frozen=True)
class TaskRow:
    """One task in the page's table. verdict: "" for a task graded by a person.

    sentence, pictures: HTML in which all of the learner's text is escaped.
    """

    task: str
    verdict: str
    color: str
    sentence: str
    points: str
    pending: bool
    pictures: list[str]


@dataclass(frozen=True)
class Summary:
    """The top of the page. pending: open points, "" if there are none. rules: what the course
    says of GPU checks and late hand-ins, or "".

    files: by task, escaped HTML of files handed in with the notebook. rubrics: by task, only of
    tasks that a person has marked, since before that a rubric could reveal the answer. is_module:
    False for an instructor's own assignment.
    """

    title: str
    rows: list[TaskRow]
    points: str
    pending: str
    rules: str
    notes: list[str]
    files: dict[str, list[str]]
    rubrics: dict[str, list[rubric.RubricRow]]
    is_module: bool
    style: str = learner_files.STYLE + LINES_STYLE


class JudgedGrades(GetGrades):
    """`GetGrades` with open grades left open instead of shown as 0."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Put scores into the cells and a `Summary` into the resources."""
        names = resources["nbgrader"]
        folder = Path(resources["metadata"]["path"])
        root = folder.parents[2]
        self._handed_in = learner_files.read(folder)
        self._files: dict[str, list[str]] = {}
        self._rubrics: dict[str, list[rubric.RubricRow]] = {}
        attempts, module = store(root), str(names["assignment"])
        self._counts = attempts.published(names["student"], module)
        self._worth = attempts.read(lambda connection: of_course(connection, module))
        self._rows: list[TaskRow] = []
        self._scores: list[Score] = []
        nb, resources = cast(Any, super()).preprocess(nb, resources)
        whole = total(self._scores, float(names.get("late_penalty", 0)))
        resources[SUMMARY] = Summary(
            title=_title(names["assignment"]),
            rows=self._rows,
            points=points_text(whole),
            pending=number(whole.pending) if whole.pending else "",
            rules=self._worth.rules,
            notes=self._notes(root, names),
            files=self._files,
            rubrics=self._rubrics,
            is_module=names["assignment"] in curriculum.names(),
        )
        return nb, resources

    def _notes(self, root: Path, names: Any) -> list[str]:
        student, module = names["student"], names["assignment"]
        answers = list(requests.page_sentences(root, student, module))
        if why := zero_reason(root, student, module):
            answers.insert(0, f"All points of this work were set to 0: {why}")
        if self._counts is not None:
            return [*self._counts.notes, *answers]
        if all_dropped(root, student, module):
            return [_DROPPED, *answers]
        return answers

    def _get_score(self, cell: NotebookNode, resources: Any) -> None:
        cast(Any, super())._get_score(cell, resources)
        names = resources["nbgrader"]
        grade = cast(Any, self.gradebook).find_grade(
            cell.metadata["nbgrader"]["grade_id"],
            names["notebook"],
            names["assignment"],
            names["student"],
        )
        score = of_grade(grade, self._worth, self._counts)
        cell.metadata["nbgrader"]["points_text"] = points_text(score)
        self._scores.append(score)
        judged = by_judge(grade, self._worth, self._counts)
        record = self._counts.records.get(grade.name) if self._counts is not None else None
        if record is not None:
            record = self._worth.shown(record)
        self._rows.append(_row(grade, score, judged, record, cell))
        task = _task(names["assignment"], grade.name)
        if task is not None:
            self._files[task.id] = learner_files.of_task(task, self._handed_in)
        if task is not None and grade.manual_score is not None:
            possible = self._worth.possible(task.id, float(task.points))
            self._rubrics[task.id] = rubric.rows(task, possible)


def _title(module: str) -> str:
    """Return the module's title, or the id of an assignment that is no module."""
    try:
        return load_module(module).title
    except (LookupError, OSError, ValueError):
        return module


def _task(module: str, name: str) -> Task | None:
    """Return the task, or None for a graded cell that is no task of a module."""
    try:
        return load_module(module).task(name)
    except KeyError:
        return None


def _row(
    grade: Any, score: Score, judged: Score, record: Record | None, cell: NotebookNode
) -> TaskRow:
    """Return the row of a task. judged: the judge's points, which a person may have overridden."""
    verdict, hue, pictures = "", "", list[str]()
    if record is not None:
        verdict, sentence = verdict_words.of_task(record), record.sentence
        hue, pictures = color_of(record), figures(record)
        if grade.manual_score is not None:
            sentence += f" A person gave these points; the judge's are {points_text(judged)}."
    elif utils.is_solution(cell):
        waits = "A person has yet to grade this."
        sentence = waits if is_open(grade) else by_hand(grade)
    else:
        sentence = "Not judged yet." if is_open(grade) else "Graded by the assignment's own tests."
    return TaskRow(
        grade.name,
        verdict,
        hue,
        prose(sentence),
        points_text(score, ""),
        bool(score.pending),
        pictures,
    )
