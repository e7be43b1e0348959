"""The steps of `nbgrader generate_assignment`: nbgrader's own, and for modules the due date.

An instructor's own assignments in the course go through all of nbgrader's steps, so that their
solutions, hidden tests and mark schemes are removed.
"""

from typing import Any, cast

from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions, IncludeHeaderFooter, SaveCells

from hotloop.course.due_cell import DueCell
from hotloop.tasks import curriculum
from hotloop.tasks.notebook_cells import NOTEBOOK


class ClearMarkedSolutions(ClearSolutions):
    """nbgrader's step, but a module's cell without a marked solution keeps its text.

    nbgrader would replace it by its stub; the exercise is rendered already, and the cell says what
    to write.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, cell_index: int
    ) -> tuple[NotebookNode, Any]:
        """Remove what is between nbgrader's marks, as nbgrader does."""
        is_marked = str(cast(Any, self).begin_solution_delimeter) in cell.source
        if is_rendered(resources["nbgrader"]) and not is_marked:
            return cell, resources
        return cast(Any, super()).preprocess_cell(cell, resources, cell_index)


def is_rendered(names: Any) -> bool:
    """Return whether Hotloop rendered the notebook. names: nbgrader's of what it converts."""
    is_module = names["assignment"] in curriculum.names()
    return is_module and f"{names['notebook']}.ipynb" == NOTEBOOK


def steps() -> list[type | str]:
    """Return nbgrader's steps, of whatever version, with the due date after the header."""
    default = cast(Any, GenerateAssignment).preprocessors.default()
    own: dict[Any, list[type | str]] = {
        ClearSolutions: [ClearMarkedSolutions],
        IncludeHeaderFooter: [IncludeHeaderFooter, DueCell],
        # Given by name, since it imports the configuration.
        SaveCells: ["hotloop.course.saved_cells.CoursePoints"],
    }
    return [step for each in default for step in own.get(each, [each])]
