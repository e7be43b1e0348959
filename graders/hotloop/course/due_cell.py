"""Shows the due date to learners: at the top of a notebook, and in Assignment List."""

import json
from pathlib import Path
from typing import Any, cast

from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.exchange.default import ExchangeList
from nbgrader.preprocessors import NbGraderPreprocessor

from hotloop.course import nodes
from hotloop.tasks import curriculum

CELL_ID = "due-date"
DUE = "due"
"""Metadata key of the cell that holds just the date."""


class DueCell(NbGraderPreprocessor):
    """A step of `nbgrader generate_assignment` that inserts a module's due date, if it has one."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Insert a cell with the gradebook's current date."""
        names = resources["nbgrader"]
        if names["assignment"] not in curriculum.names():
            return nb, resources
        with Gradebook(names["db_url"]) as gradebook:
            try:
                due = cast(Any, gradebook).find_assignment(names["assignment"]).duedate
            except MissingEntry:
                due = None
        if due is not None:
            date = f"{due:%Y-%m-%d %H:%M} UTC"
            text = f"**Due {date}.** An extension of yours counts from there."
            cell = nodes.markdown(text, {DUE: date})
            cell.id = CELL_ID
            nb.cells.insert(0, cell)
        return nb, resources


class DatedList(ExchangeList):
    """`ExchangeFactory.list`: appends the due date to the name of a fetched notebook.

    Assignment List displays this name but opens the notebook by its path. The other displayed
    values (assignment, course) cannot be used, since it sends them back to fetch and submit.
    """

    def parse_assignments(self) -> list[dict[str, Any]]:
        """Return the list with dates from the notebooks in the exchange.

        Those are newer than the fetched notebooks if a date was moved.
        """
        rows = cast(list[dict[str, Any]], cast(Any, super()).parse_assignments())
        for each in rows:
            if each["status"] != "fetched":
                continue
            outbound = Path(cast(Any, self).root, each["course_id"], "outbound")
            for notebook in each["notebooks"]:
                due = _due(outbound / each["assignment_id"] / Path(notebook["path"]).name)
                notebook["notebook_id"] += f" (due {due})" if due else ""
        return rows


def _due(path: Path) -> str:
    """Return the date in a released notebook's first cell, or ""."""
    if not path.is_file():
        return ""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return str(cells[0]["metadata"].get(DUE, "")) if cells else ""
