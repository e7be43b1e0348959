"""Generates learners' pages with nbgrader, and releases them if the course's policy says so."""

import logging
import warnings
from pathlib import Path
from typing import Any, cast

from nbgrader import utils
from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from hotloop.course.attempts.attempt import Kind
from hotloop.course.attempts.database import database
from hotloop.course.attempts.store import store
from hotloop.course.book import AUTOGRADED
from hotloop.course.config import course_api, load_config
from hotloop.course.gradebook_dialect import gradebook_url
from hotloop.course.nbgrader_result import captured, reason
from hotloop.course.release_feedback import send

FEEDBACK = "feedback"

log = logging.getLogger("hotloop.course")


class LearnersFeedback(GenerateFeedback):
    """nbgrader's `GenerateFeedback` for one learner, whose name may have brackets or stars.

    nbgrader takes the name for a pattern.
    """

    def init_notebooks(self) -> None:
        """List the notebooks of this learner. Raises NbGraderException if there are none."""
        course, nbgrader = cast(Any, self).coursedir, cast(Any, self)
        folder = Path(nbgrader._format_source(course.assignment_id, course.student_id))
        found = sorted(map(str, folder.glob("*.ipynb")))
        if not found:
            raise NbGraderException(f"There is no graded notebook in {folder}.")
        self.notebooks: list[str] = []
        self.assignments = {str(folder): found}


class FeedbackPages:
    """The feedback pages of a course."""

    def __init__(self, root: Path) -> None:
        self._root = root
        config = load_config(root)
        config.CourseDirectory.db_url = gradebook_url(database(root))
        self._api = cast(Any, course_api(config))

    def make(self, student: str, module: str) -> str:
        """Generate the learner's page, and release it if the course's policy is "at once".

        Returns what nbgrader could not do, or "".
        """
        with warnings.catch_warnings(), captured(self._api.log):
            # nbgrader 0.9.6's use of SQLAlchemy 2 causes harmless warnings that instructors cannot
            # fix.
            warnings.simplefilter("ignore", SAWarning)
            result = self._generated(student, module)
        if result["success"]:
            return send(self._api, self._root, module, student)
        error = str(result.get("error", ""))
        # nbgrader catches every exception; Ctrl-C must still end the batch.
        if error.rstrip().endswith("KeyboardInterrupt"):
            raise KeyboardInterrupt
        log.info("%s/%s: %s\n%s", student, module, result.get("log", ""), error)
        return reason(result)

    def _generated(self, student: str, module: str) -> dict[str, Any]:
        course, nbgrader = self._api.coursedir, cast(Any, utils)
        with nbgrader.temp_attrs(course, assignment_id=module, student_id=student):
            command = cast(Any, LearnersFeedback)(coursedir=course, parent=self._api)
            command.update_config(Config({"HTMLExporter": {"template_name": "feedback"}}))
            command.force = True
            return nbgrader.capture_log(command)

    def refresh(self, student: str, module: str) -> str:
        """Regenerate the page if a notebook was graded, like `make`."""
        if not (self._root / AUTOGRADED / student / module).is_dir():
            return ""
        return self.make(student, module)

    def are_current(self, student: str, module: str) -> bool:
        """True if the pages are newer than the graded notebook and a person's last mark."""
        booked = self._times(AUTOGRADED, student, module, "*.ipynb")
        pages = self._times(FEEDBACK, student, module, "*.html")
        if not (pages and booked and min(pages) > max(booked)):
            return False
        marks = store(self._root).events(student=student, module=module, kind=Kind.MARKED)
        return not marks or min(pages) > marks[-1].at.timestamp() * 1e9

    def _times(self, folder: str, student: str, module: str, pattern: str) -> list[int]:
        paths = (self._root / folder / student / module).glob(pattern)
        return [path.stat().st_mtime_ns for path in paths]
