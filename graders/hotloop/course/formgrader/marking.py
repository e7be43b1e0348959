"""Handlers for marks and comments; a judged cell's points are the judge's until overridden.

A request that changes a judged cell's points without `override` is refused, whatever its source.
"""

import json
import math
from collections.abc import Callable
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

from nbgrader.api import MissingEntry
from nbgrader.server_extensions.formgrader.base import BaseApiHandler
from sqlalchemy import Connection
from tornado import web

from hotloop.course.attempts import store as within
from hotloop.course.attempts.store import store
from hotloop.course.book import Book
from hotloop.course.formgrader import saved_comments
from hotloop.course.formgrader.totals import needs_a_person
from hotloop.course.gradebook import joined
from hotloop.course.points import by_judge, needs_record, of_grade
from hotloop.course.scores import Counting, scored, whole
from hotloop.verdicts.render_record import points_text

REFUSED = "The judge gives these points. Press “Override the judge's points” to change them."


LONGEST_QUOTE = 200
"""Most characters of a comment in the audit log."""


class Handler(BaseApiHandler):
    """Common code of the handlers below."""

    @property
    def root(self) -> Path:
        """The course's folder."""
        return Path(cast(Any, self).coursedir.root)

    def find_by_id(self, kind: str, identifier: str) -> Any:
        """Return a gradebook object by id. Raises HTTPError 404 if it does not exist."""
        gradebook = cast(Any, self).gradebook
        # nbgrader keeps one session, which does not see later changes without this.
        gradebook.db.rollback()
        try:
            return getattr(gradebook, f"find_{kind}_by_id")(identifier)
        except MissingEntry:
            raise web.HTTPError(HTTPStatus.NOT_FOUND) from None

    def body(self) -> dict[str, Any]:
        """Return the request's JSON object. Raises HTTPError 400 if it is not one."""
        document = cast(Any, self).get_json_body()
        if not isinstance(document, dict):
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, "a JSON object was expected")
        return cast(dict[str, Any], document)

    def say(self, document: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        """Reply with JSON."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        cast(Any, self).finish(json.dumps(document))

    def change(self, work: Callable[[Any], None], place: tuple[str, str], entry: str) -> None:
        """Run `work` on the gradebook, and add an audit event: both or neither.

        place: learner and module. entry: text of the event, "" for no event.
        """
        # Otherwise nbgrader's session would hold a lock while another connection writes.
        cast(Any, self).gradebook.db.rollback()
        events = [within.marked(*place, entry)] if entry else []
        course_id = Book(self.root).course_id

        def changed(connection: Connection) -> None:
            with joined(connection, course_id) as gradebook:
                work(gradebook)
            for event in events:
                within.note(connection, event)

        store(self.root).write(changed)

    def shown(self, grade: Any) -> dict[str, Any]:
        """Return a grade for the page.

        judge: the judge's points in words; judge_points: points so far; pending: open points.
        """
        module, student = grade.assignment.name, grade.student.id
        counting = Counting.of(self.root)
        worth = counting.worth(module)
        judged = worth.is_judged(grade.name)
        unsettled = judged and needs_record(grade, worth)
        grading = counting.published(student, module) if unsettled else None
        score = by_judge(grade, worth, grading)
        return {
            **grade.to_dict(),
            "judged": judged,
            "needs_manual_grade": needs_a_person(grade, judged=judged),
            "judge": points_text(score),
            "judge_points": score.points,
            "pending": of_grade(grade, worth, grading).pending,
            "max_score": score.possible,
        }

    def total(self, notebook: Any) -> str:
        """Return the points of a submitted notebook in words."""
        names = (notebook.assignment.name, notebook.student.id)
        gradebook = cast(Any, self).gradebook
        return points_text(whole(scored(gradebook, Counting.of(self.root), *names)))


class NotebookGrades(Handler):
    """All grades of one submitted notebook."""

    @web.authenticated
    def get(self) -> None:
        """Reply with nbgrader's list, extended by `shown`."""
        notebook = self.find_by_id("submission_notebook", self.get_argument("submission_id"))
        self.say([self.shown(grade) for grade in notebook.grades])


class OneGrade(Handler):
    """One grade, to read and change."""

    @web.authenticated
    def get(self, grade_id: str) -> None:
        """Reply with the grade as in `NotebookGrades`, and the notebook's total."""
        grade = self.find_by_id("grade", grade_id)
        self.say({**self.shown(grade), "total": self.total(grade.notebook)})

    @web.authenticated
    def put(self, grade_id: str) -> None:
        """Set `manual_score` and `extra_credit`; fields missing in the request stay.

        Replies 409 for a judged cell without `override`, 400 for invalid points.
        """
        grade = self.find_by_id("grade", grade_id)
        document = self.body()
        worth = Counting.of(self.root).worth(grade.assignment.name)
        most = worth.possible(grade.name, float(grade.max_score))
        manual = _points(document.get("manual_score", grade.manual_score), most)
        extra = _points(document.get("extra_credit", grade.extra_credit), math.inf)
        before = (grade.manual_score, grade.extra_credit or 0)
        is_change = (manual, extra or 0) != before
        judged = worth.is_judged(grade.name)
        if judged and is_change and document.get("override") is not True:
            self.say({"message": REFUSED}, HTTPStatus.CONFLICT)
            return
        self.enter(grade, manual, extra, before if is_change else None)
        self.get(grade_id)

    def enter(
        self,
        grade: Any,
        manual: float | None,
        extra: float | None,
        before: tuple[float | None, float] | None,
    ) -> None:
        """Enter points, the late penalty that follows, and an audit event: all or none.

        before: points before a change, for the event; None if nothing changes.
        """
        identifier, place, book = (
            grade.id,
            (grade.student.id, grade.assignment.name),
            Book(self.root),
        )
        entry = ""
        if before is not None:
            entry = f"{grade.name}: {_words(manual, extra or 0)}; before: {_words(*before)}"

        def work(gradebook: Any) -> None:
            entered = gradebook.find_grade_by_id(identifier)
            entered.manual_score, entered.extra_credit = manual, extra
            entered.needs_manual_grade = manual is None and entered.auto_score is None
            book.penalize(gradebook, [place])

        self.change(work, place, entry)


class OneComment(Handler):
    """One comment, to read and change."""

    @web.authenticated
    def get(self, comment_id: str) -> None:
        """Reply with the comment, as nbgrader does."""
        self.say(self.find_by_id("comment", comment_id).to_dict())

    @web.authenticated
    def put(self, comment_id: str) -> None:
        """Set `manual_comment`, with an audit event if it changes. Replies 400 if it is no text."""
        comment = self.find_by_id("comment", comment_id)
        text, before = self.body().get("manual_comment"), comment.manual_comment
        if not isinstance(text, str | None):
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, "a comment is a text")
        place = (comment.student.id, comment.assignment.name)
        entry = f"{comment.name}: comment {_quoted(text)}; before: {_quoted(before)}"

        def work(gradebook: Any) -> None:
            gradebook.find_comment_by_id(comment_id).manual_comment = text

        self.change(work, place, entry if (text or "") != (before or "") else "")
        self.get(comment_id)


class SavedComments(Handler):
    """The course's saved comments."""

    @web.authenticated
    def get(self) -> None:
        """Reply with all of them."""
        self.say([asdict(comment) for comment in saved_comments.saved(self.root)])

    @web.authenticated
    def post(self) -> None:
        """Save `text`, written next to `task`. Replies 400 if it is empty or too long."""
        document = self.body()
        try:
            comment = saved_comments.save(self.root, str(document["task"]), str(document["text"]))
        except (KeyError, ValueError) as error:
            self.say({"message": str(error)}, HTTPStatus.BAD_REQUEST)
            return
        self.say(asdict(comment))


class OneSavedComment(Handler):
    """One saved comment."""

    @web.authenticated
    def delete(self, comment: str) -> None:
        """Delete it. Raises HTTPError 404 if it does not exist."""
        try:
            saved_comments.remove(self.root, comment)
        except KeyError:
            raise web.HTTPError(HTTPStatus.NOT_FOUND) from None
        self.say({})


def _words(manual: float | None, extra: float) -> str:
    words = "no points by hand" if manual is None else f"{manual:g} points by hand"
    return f"{words}, {extra:g} extra" if extra else words


def _quoted(comment: str | None) -> str:
    text = " ".join((comment or "").split())
    return f"“{text[:LONGEST_QUOTE]}{'…' if len(text) > LONGEST_QUOTE else ''}”" if text else "none"


def _points(value: Any, most: float) -> float | None:
    """Parse points, which nbgrader's page sends as text. Raises HTTPError 400 if invalid."""
    if value is None:
        return None
    try:
        points = float(value)
    except (TypeError, ValueError):
        points = math.nan
    if not (math.isfinite(points) and 0 <= points <= most):
        raise web.HTTPError(HTTPStatus.BAD_REQUEST, f"{value!r}: expected points from 0 to {most}")
    return points


routes = [
    (r"/formgrader/api/grades", NotebookGrades),
    (r"/formgrader/api/grade/([^/]+)", OneGrade),
    (r"/formgrader/api/comment/([^/]+)", OneComment),
    (r"/formgrader/api/saved_comments", SavedComments),
    (r"/formgrader/api/saved_comments/([^/]+)", OneSavedComment),
]
