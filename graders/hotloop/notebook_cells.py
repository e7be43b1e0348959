"""The cells of a notebook that somebody handed in, as text: what a class, a take-home and its
integrity signals all read it by.
"""

from dataclasses import dataclass
from typing import Any, Literal

from hotloop.core.wire import as_message
from hotloop.worker.notebook import MAX_NOTEBOOK, Unreadable, read_cells, text_of

NOTEBOOK = "lab.ipynb"
"""A module's notebook, in the folder that a learner works in."""

MAX_SOURCE = 256 * 1024
"""Characters of one cell."""

UNREADABLE_CELL = "*(A cell could not be read here, or was too long, and was left out.)*"

Kind = Literal["code", "markdown", "raw"]
_KINDS: dict[str, Kind] = {
    "code": "code",
    "markdown": "markdown",
    "raw": "raw",
    # Titles, before version 4.
    "heading": "markdown",
}


@dataclass(frozen=True)
class Cell:
    """One cell as it was handed in: its text, and the ids that it claims.

    kind: empty where the file gives it none that there is. grade_id: nbgrader's name of the cell,
    cell_id: the format's own; each empty without one.
    """

    kind: Kind | Literal[""]
    source: str
    grade_id: str
    cell_id: str


def cells(data: bytes, module: str = "", most: int = MAX_NOTEBOOK) -> list[Cell]:
    """Those of a notebook file of any format version. Unreadable says why there are none.

    module: whose notebook it must be. most: bytes of the file.
    """
    return [_cell(cell) for cell in read_cells(data, module, most)]


def readable_cells(data: bytes, most: int = MAX_NOTEBOOK) -> list[Cell]:
    """Likewise; none where it is no notebook."""
    try:
        return cells(data, most=most)
    except Unreadable:
        return []


def writable(text: str) -> str:
    """The text without half characters, which JSON can carry and no file or database takes, and
    without NUL, which PostgreSQL does not take."""
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


def _cell(cell: dict[str, Any]) -> Cell:
    kind = cell.get("cell_type")
    source = text_of(cell.get("source", cell.get("input", "")))
    if source is None or len(source) > MAX_SOURCE:
        kind, source = "markdown", UNREADABLE_CELL
    metadata = as_message((as_message(cell.get("metadata")) or {}).get("nbgrader")) or {}
    return Cell(
        kind=_KINDS.get(kind, "") if isinstance(kind, str) else "",
        source=writable(source),
        grade_id=_name(metadata.get("grade_id")),
        cell_id=_name(cell.get("id")),
    )


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""
