"""The learners whom a course knows."""

from pathlib import Path
from typing import Any

from nbgrader.api import Student

from hotloop.course.attempts.store import store
from hotloop.course.gradebook import read
from hotloop.course.hand_in import SUBMITTED


def learners(root: Path) -> list[str]:
    """Return all whom the gradebook, a hand-in or the audit log names, sorted."""

    def work(gradebook: Any) -> set[str]:
        return {str(name) for (name,) in gradebook.db.query(Student.id)}

    folders = (root / SUBMITTED).glob("*")
    handed_in = {path.name for path in folders if path.is_dir()}
    known = {student for student, _ in store(root).known() if student}
    return sorted(read(root, work) | handed_in | known)
