"""One question across all learners: every answer to a written task, each with its points."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

from nbgrader.server_extensions.formgrader.base import BaseHandler
from tornado import web

from hotloop.core.untrusted_text import readable
from hotloop.course.book import AUTOGRADED
from hotloop.course.formgrader.marking import Handler
from hotloop.course.formgrader.totals import needs_a_person
from hotloop.course.rubric import RubricRow, rows
from hotloop.course.scores import Counting, handed_in, scored
from hotloop.course.worth import Worth
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.notebook_cells import NOTEBOOK

MAX_ANSWER = 20_000
"""Most characters of an answer to show; the submission's own page has all of it."""


@dataclass(frozen=True)
class GivenAnswer:
    """One learner's answer. number: as in nbgrader's lists, which name nobody.

    grade: nbgrader's id of the grade. points: by a person, or None.
    """

    submission: str
    number: int
    grade: str
    text: str
    points: float | None
    waits: bool


def questions(worth: Worth) -> list[str]:
    """Return the tasks of a module that a person marks."""
    return [task for task in worth.tasks if not worth.is_judged(task)]


def answers(root: Path, gradebook: Any, module: str, task: str) -> list[GivenAnswer]:
    """Return the answers of all learners, first those that wait for a person."""
    parts = handed_in(root, scored(gradebook, Counting.of(root), module))
    submissions = sorted(grade.notebook_id for part in parts for grade in part.grades[:1])
    numbers = {submission: number for number, submission in enumerate(submissions, start=1)}
    found = [
        GivenAnswer(
            grade.notebook_id,
            numbers[grade.notebook_id],
            grade.id,
            _text(root / AUTOGRADED / part.student / module / NOTEBOOK, task),
            grade.manual_score,
            needs_a_person(grade, judged=False),
        )
        for part in parts
        for grade in part.grades
        if grade.name == task
    ]
    return sorted(found, key=lambda answer: (not answer.waits, answer.number))


class Question(BaseHandler):
    """The page."""

    @web.authenticated
    def get(self, module: str, task: str) -> None:
        """Show all answers. Raises HTTPError 404 for what is no written task of the course."""
        handler = cast(Any, self)
        root = Path(handler.coursedir.root)
        worth = Counting.of(root).worth(module)
        if task not in questions(worth):
            raise web.HTTPError(HTTPStatus.NOT_FOUND)
        handler.gradebook.db.rollback()
        page = handler.render(
            "question.tpl",
            base_url=handler.base_url,
            assignment_id=module,
            task=task,
            goal=_goal(module, task),
            rubric=_rubric(module, task, worth.possible(task)),
            possible=worth.possible(task),
            answers=answers(root, handler.gradebook, module, task),
        )
        handler.write(page)


class Questions(Handler):
    """The written tasks of a module."""

    @web.authenticated
    def get(self, module: str) -> None:
        """Reply with their names."""
        self.say(questions(Counting.of(self.root).worth(module)))


def _text(notebook: Path, task: str) -> str:
    """Return the source of the answer's cell; "" without a graded notebook."""
    try:
        document: Any = json.loads(notebook.read_text(encoding="utf-8"))
    except OSError:
        return ""
    return next(_sources(document["cells"], task), "")


def _sources(cells: list[Any], task: str) -> Iterator[str]:
    for cell in cells:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == task:
            source = cell["source"]
            text = readable(source if isinstance(source, str) else "".join(source))
            yield text if len(text) <= MAX_ANSWER else f"{text[:MAX_ANSWER]}…"


def _goal(module: str, task: str) -> str:
    try:
        return load_module(module).task(task).goal
    except KeyError:
        return ""


def _rubric(module: str, task: str, possible: float) -> list[RubricRow]:
    try:
        return rows(load_module(module).task(task), possible)
    except KeyError:
        return []


routes = [
    (r"/formgrader/questions/([^/]+)/([^/]+)", Question),
    (r"/formgrader/api/questions/([^/]+)", Questions),
]
