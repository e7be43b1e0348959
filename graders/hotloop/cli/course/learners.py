"""Refuses the names of learners whom a course does not know."""

from collections.abc import Iterable
from pathlib import Path

from hotloop.cli import find
from hotloop.core.user_error import UserError


def require_known(course: Path, names: Iterable[str]) -> None:
    """Raise UserError, with similar names, if the course does not know a learner.

    Every command calls it that takes a learner's name: a typo must neither make a new learner nor
    look like one without work.
    """
    from hotloop.course.learners import learners

    known = learners(course)
    for name in names:
        if name not in known:
            raise UserError(
                f"{find.unknown('learner', name, known)} Whoever has handed in nothing yet becomes "
                f"known by `nbgrader db student add {name}`, in the course's folder."
            )
