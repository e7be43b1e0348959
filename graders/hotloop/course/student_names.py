"""Enters who a learner is into the gradebook, for learners whom an LMS has sent."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from nbgrader.api import Student
from sqlalchemy import Connection

from hotloop.course.attempts.store import store
from hotloop.course.gradebook import joined


@dataclass(frozen=True)
class StudentNames:
    """What nbgrader's gradebook has of a student beside the id; "" for what is unknown."""

    first_name: str
    last_name: str
    email: str
    lms_user_id: str


def enter(root: Path, student: str, names: StudentNames) -> None:
    """Fill in what the gradebook has not; what an instructor has written there stays.

    Signs with which a formula begins in a spreadsheet are left out: many an LMS lets its people
    choose their names, and exports are opened there.
    """

    def work(connection: Connection) -> None:
        with joined(connection) as gradebook:
            known: Any = gradebook.db.get(Student, student) or gradebook.add_student(student)
            for field in fields(names):
                new = getattr(names, field.name).lstrip("=+-@ ")
                if value := getattr(known, field.name) or new:
                    setattr(known, field.name, value)

    store(root).write(work)
