"""The cells of a submitted notebook, as text, with the names that they claim."""

from dataclasses import dataclass
from typing import Any, Literal

from hotloop.core.wire import as_message
from hotloop.worker.notebook import MAX_NOTEBOOK, read_cells, source_of

UNREADABLE_CELL = "*(A cell could not be read here, or was too long, and was left out.)*"

Kind = Literal["code", "markdown", "raw"]
_KINDS: dict[str, Kind] = {
    "code": "code",
    "markdown": "markdown",
    "raw": "raw",
    # Headings, before format version 4.
    "heading": "markdown",
}


@dataclass(frozen=True)
class Cell:
    """One submitted cell: its text, and the ids that it claims.

    kind: "" if the file gives no valid one. grade_id: nbgrader's name of the cell; cell_id: the id
    in the notebook format; "" if there is none. attachments: untrusted, as in the file.
    """

    kind: Kind | Literal[""]
    source: str
    grade_id: str
    cell_id: str
    attachments: Any = None


def cells(data: bytes, module: str = "", most: int = MAX_NOTEBOOK) -> list[Cell]:
    """Return the cells of a notebook file of any format version.

    module: the module that the notebook must belong to; "" for any. most: largest file size in
    bytes.
    Raises Unreadable with the reason if the file cannot be graded.
    """
    return [_cell(cell) for cell in read_cells(data, module, most)]


def _cell(cell: dict[str, Any]) -> Cell:
    kind = cell.get("cell_type")
    source = source_of(cell)
    if source is None:
        kind, source = "markdown", UNREADABLE_CELL
    metadata = as_message((as_message(cell.get("metadata")) or {}).get("nbgrader")) or {}
    return Cell(
        kind=_KINDS.get(kind, "") if isinstance(kind, str) else "",
        source=source,
        grade_id=_name(metadata.get("grade_id")),
        cell_id=_name(cell.get("id")),
        attachments=cell.get("attachments"),
    )


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""
