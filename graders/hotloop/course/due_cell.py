"""The due date at the head of a released notebook, where a learner sees it in JupyterLab."""

from __future__ import annotations

from typing import Any, cast

from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import NbGraderPreprocessor

from hotloop.course import nodes

CELL_ID = "due-date"


class DueCell(NbGraderPreprocessor):
    """A step of `nbgrader generate_assignment`: puts the date in, where there is one."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """The date is the gradebook's at this moment."""
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            try:
                due = cast(Any, gradebook).find_assignment(names["assignment"]).duedate
            except MissingEntry:
                due = None
        if due is not None:
            said = f"**Due {due:%Y-%m-%d %H:%M} UTC.** An extension of yours counts from there."
            cell = nodes.markdown(said)
            cell.id = CELL_ID
            nb.cells.insert(0, cell)
        return nb, resources
