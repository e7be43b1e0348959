"""The learners whom a course knows."""

import re
from pathlib import Path
from typing import Any

from nbgrader.api import Student

from hotloop.course import exchange
from hotloop.course.attempts.store import store
from hotloop.course.config import load_config
from hotloop.course.gradebook import read
from hotloop.course.hand_in import SUBMITTED

_IN_EXCHANGE = re.compile(r"(.+)\+[^+]+\+\d{4}-[^+]*(?:\+[^+]*)?")
"""nbgrader's name of a hand-in: learner, assignment, time, and mostly a random word."""


def learners(root: Path) -> list[str]:
    """Return all whom the gradebook, a hand-in or the audit log names, sorted.

    A hand-in may still lie in the exchange.
    """

    def work(gradebook: Any) -> set[str]:
        return {str(name) for (name,) in gradebook.db.query(Student.id)}

    folders = (root / SUBMITTED).glob("*")
    handed_in = {path.name for path in folders if path.is_dir()}
    known = {student for student, _ in store(root).known() if student}
    folder, course_id = exchange.of(load_config(root))
    names = (path.name for path in (folder / course_id / "inbound").glob("*+*"))
    waiting = {match[1] for match in map(_IN_EXCHANGE.fullmatch, names) if match}
    return sorted(read(root, work) | handed_in | known | waiting)
