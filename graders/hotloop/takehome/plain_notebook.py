"""A notebook reduced to what is graded: its cells' sources, their ids and nbgrader's own metadata.

Outputs are not handed in and not read: the judge runs the notebook anew, and what a candidate's
cells printed, HTML and scripts among it, reaches nobody's browser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hotloop.takehome import limits

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_GRADE_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class NotANotebook(Exception):
    """The text is one sentence, to the candidate."""


class _Loose(BaseModel):
    """What a notebook may hold beyond this is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class _Cell(_Loose):
    cell_type: Literal["code", "markdown", "raw"]
    source: str | list[str] = ""
    id: Any = None
    metadata: Any = None


class _Notebook(_Loose):
    cells: Annotated[list[_Cell], Field(max_length=limits.MAX_CELLS)]
    nbformat: Literal[4]


def plain(data: bytes) -> bytes:
    """The reduced notebook, valid by nbformat 4.5. NotANotebook when `data` is none."""
    try:
        notebook = _Notebook.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise NotANotebook(
            "The notebook cannot be read: open it in JupyterLab, save it, and try again. "
            f"({'.'.join(map(str, first['loc']))[:80] or 'file'}: {first['type']})"
        ) from None
    taken: set[str] = set()
    cells = [_plain_cell(cell, number, taken) for number, cell in enumerate(notebook.cells)]
    document = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def _plain_cell(cell: _Cell, number: int, taken: set[str]) -> dict[str, Any]:
    source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
    if "\0" in source:
        raise NotANotebook(f"Cell {number + 1} holds a NUL character: delete it, and try again.")
    name = cell.id if isinstance(cell.id, str) and _ID.fullmatch(cell.id) else f"cell-{number}"
    name = _another(name, taken)
    taken.add(name)
    document = {
        "cell_type": cell.cell_type,
        "id": name,
        "metadata": _nbgrader(cell.metadata),
        "source": source.splitlines(keepends=True),
    }
    if cell.cell_type == "code":
        document |= {"execution_count": None, "outputs": []}
    return document


def _another(name: str, taken: Collection[str]) -> str:
    """The name, or the first one with a number behind it that no earlier cell has."""
    if name not in taken:
        return name
    numbered = (f"{name[:50]}-{number}" for number in range(len(taken) + 1))
    return next(new for new in numbered if new not in taken)


def _nbgrader(metadata: object) -> dict[str, Any]:
    """Which cell of the exercise it is, if it still says so."""
    if not isinstance(metadata, Mapping):
        return {}
    own = cast("Mapping[str, object]", metadata).get("nbgrader")
    if not isinstance(own, Mapping):
        return {}
    given = cast("Mapping[str, object]", own)
    grade_id = given.get("grade_id")
    if not isinstance(grade_id, str) or not _GRADE_ID.fullmatch(grade_id):
        return {}
    flags = {name: given.get(name) is True for name in ("grade", "locked", "solution", "task")}
    return {"nbgrader": {"schema_version": 3, "grade_id": grade_id, **flags}}
