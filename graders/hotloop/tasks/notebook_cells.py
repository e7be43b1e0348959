"""The cells of a submitted notebook, as text.

Courses, take-homes and their integrity signals read notebooks with this module.
"""

from hotloop.judge.notebook_release import NOTEBOOK as NOTEBOOK
from hotloop.worker.notebook import MAX_NOTEBOOK, UnreadableNotebook
from hotloop.worker.notebook import writable as writable
from hotloop.worker.notebook_cells import UNREADABLE_CELL as UNREADABLE_CELL
from hotloop.worker.notebook_cells import Cell as Cell
from hotloop.worker.notebook_cells import cells as cells


def readable_cells(data: bytes, most: int = MAX_NOTEBOOK) -> list[Cell]:
    """Like `cells`, but return an empty list if it is not a readable notebook."""
    try:
        return cells(data, most=most)
    except UnreadableNotebook:
        return []
