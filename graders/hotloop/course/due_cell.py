"""The due date where a learner sees it: at the head of a notebook, and in Assignment List."""

import json
from pathlib import Path
from typing import Any, cast

from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.exchange.default import ExchangeList
from nbgrader.preprocessors import NbGraderPreprocessor

from hotloop.course import nodes

CELL_ID = "due-date"
DUE = "due"
"""Key of the cell's metadata under which the date stands alone."""


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
            date = f"{due:%Y-%m-%d %H:%M} UTC"
            said = f"**Due {date}.** An extension of yours counts from there."
            cell = nodes.markdown(said, {DUE: date})
            cell.id = CELL_ID
            nb.cells.insert(0, cell)
        return nb, resources


class DatedList(ExchangeList):
    """`ExchangeFactory.list`: the name of a fetched notebook is followed by its due date.

    Assignment List displays this name and opens the notebook by its path. All else that it displays
    before a module is submitted (assignment, course) it sends back to fetch and to submit.
    """

    def parse_assignments(self) -> list[dict[str, Any]]:
        """The list. Its dates are those of the notebooks in the exchange, which are newer
        than the fetched ones where a date was moved.
        """
        found = cast(list[dict[str, Any]], cast(Any, super()).parse_assignments())
        for each in found:
            if each["status"] != "fetched":
                continue
            outbound = Path(cast(Any, self).root, each["course_id"], "outbound")
            for notebook in each["notebooks"]:
                due = _due(outbound / each["assignment_id"] / Path(notebook["path"]).name)
                notebook["notebook_id"] += f" (due {due})" if due else ""
        return found


def _due(path: Path) -> str:
    """The date at the head of a released notebook; empty where there is none."""
    if not path.is_file():
        return ""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return str(cells[0]["metadata"].get(DUE, "")) if cells else ""
