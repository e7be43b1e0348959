"""Keeps a course's points where nbgrader generates an assignment again."""

from typing import Any, cast

from nbgrader.preprocessors import SaveCells

from hotloop.course.attempts.store import Store
from hotloop.course.book import set_cells
from hotloop.course.gradebook import joined
from hotloop.course.worth import is_agreed, of_course


class CoursePoints(SaveCells):
    """`SaveCells`, after which the cells have the points that count in the course.

    Without this, generating an assignment anew would change the maximum that nbgrader shows and no
    mark: its points are a proposal, which `hotloop course points` books.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Save the cells, and set the points of those that are agreed on."""
        answer = cast(Any, super()).preprocess(nb, resources)
        module = resources["nbgrader"]["assignment"]

        def keep(connection: Any) -> None:
            if is_agreed(connection, module):
                with joined(connection) as gradebook:
                    set_cells(gradebook, of_course(connection, module))

        Store(str(resources["nbgrader"]["db_url"])).write(keep)
        return answer
