"""Books an execution: nbgrader's own autograde, with the outputs and verdicts taken as they are.

What goes wrong stays with this submission: its grades are then pending.
"""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from typing import Any, cast

from nbgrader.api import Gradebook
from sqlalchemy.exc import SAWarning

from hotloop.course import records
from hotloop.course.config import course_api, database, load_config
from hotloop.course.execution import Executed
from hotloop.course.gradebook_dialect import gradebook_url
from hotloop.course.release_feedback import send
from hotloop.course.released import notebook_ids, reset_grades
from hotloop.course.repair import NOT_HANDED_IN

log = logging.getLogger("hotloop.course")


class Bookkeeper:
    """The one writer of a course's gradebook."""

    def __init__(self, root: Path, why: str = "graded", batch: str = "") -> None:
        """Both texts are for the audit log."""
        self._root = root
        self.batch = batch
        self._config = load_config(root)
        self._config.SaveJudged.update({"why": why, "batch": batch})
        self._url = database(root)
        self._config.CourseDirectory.db_url = gradebook_url(self._url)

    def book(self, student: str, module: str, executed: Executed, *, other: bool = False) -> str:
        """Write an execution into the gradebook; returns what nbgrader could not do, or nothing.

        other: it is of another hand-in than lies in the submission's folder.
        """
        # A function, because nbgrader makes copies of its configuration.
        self._config.JudgedExecute.executed = lambda: executed
        self._config.JudgedExecute.other = other
        self._stand_in(student, module)
        return self._run("autograde", student, module)

    def feedback(self, student: str, module: str) -> str:
        """Make the learner's page, and send it where the course's policy says "at once".

        Returns what nbgrader could not do, or nothing.
        """
        problem = self._run("generate_feedback", student, module)
        return problem or send(course_api(self._config), self._root, module, student)

    def open(self, student: str, module: str, why: str = "graded anew") -> None:
        """Make a submission's grades pending: what they speak of is no longer what counts."""
        with Gradebook(gradebook_url(self._url)) as gradebook:
            cast(Any, gradebook).update_or_create_student(student)
        reset_grades(self._url, module, student)
        records.begin(self._root, student, module, why)

    def _run(self, step: str, student: str, module: str) -> str:
        with warnings.catch_warnings():
            # What nbgrader 0.9.6 does to SQLAlchemy 2 is harmless, and not for an instructor to
            # mend.
            warnings.simplefilter("ignore", SAWarning)
            api = cast(Any, course_api(self._config))
            result = cast(dict[str, Any], getattr(api, step)(module, student, force=True))
        if result["success"]:
            return ""
        error = str(result.get("error", ""))
        # nbgrader catches everything; a person's Ctrl-C still ends the batch.
        if error.rstrip().endswith("KeyboardInterrupt"):
            raise KeyboardInterrupt
        log.error("%s/%s: %s", student, module, error)
        return f"{result.get('log', '')}\n{error}"

    def _stand_in(self, student: str, module: str) -> None:
        """Put a notebook that says so where none is: nbgrader would pass over the folder."""
        folder = self._root / "submitted" / student / module
        if any(folder.glob("*.ipynb")):
            return
        for name in notebook_ids(self._url, module):
            (folder / f"{name}.ipynb").write_bytes(NOT_HANDED_IN)
