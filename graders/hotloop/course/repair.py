"""Builds a sound notebook out of whatever was handed in.

Nothing of the submitted file's structure is kept: cells are made anew from their kind and their
text, the graded ones with the metadata they were released with. So broken JSON, foreign schemas,
missing, doubled or renamed cells cannot stop the grading, and metadata carries nothing to a page.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from nbformat import NotebookNode

from hotloop.course import nodes
from hotloop.course.released import ReleasedCell
from hotloop.course.sanitize import harmless_markdown, literal, writable

MAX_NOTEBOOK = 16 << 20
"""Bytes of a notebook file; a longer one is not read."""
MAX_CELLS = 2000
MAX_SOURCE = 256 * 1024
"""Characters of one cell."""
MAX_MARKDOWN = 512 * 1024
"""Characters of all text cells together: what comes after them is shown as its source, unparsed."""

NOT_HANDED_IN = b'{"hotloop": "no notebook was handed in"}'
"""Stands where nbgrader needs a notebook to look at, and none came."""

UNREADABLE_CELL = "*(A cell could not be read here, or was too long, and was left out.)*"

Kind = Literal["code", "markdown", "raw"]


class Unreadable(Exception):
    """The file is no notebook. The text says why, to the learner."""


@dataclass(frozen=True)
class Submitted:
    """One cell as it was handed in: its kind, its text, and the ids that it claims."""

    kind: Kind
    source: str
    grade_id: str
    cell_id: str


@dataclass
class Repaired:
    """A sound notebook, and what was amiss with the submitted one, in sentences."""

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list[str])
    unreadable: str = ""


def repair(
    data: bytes | None, released: Sequence[ReleasedCell], known_texts: Collection[str] = ()
) -> Repaired:
    """The notebook to grade. `data` is None when none was handed in.

    `known_texts`: sources of released Markdown cells, shown as they are.
    """
    try:
        cells = read_cells(data)
    except Unreadable as reason:
        cells, unreadable = [], str(reason)
    else:
        unreadable = ""
    result = Repaired(nodes.notebook(), [unreadable] if unreadable else [], unreadable)
    chosen = _choose(cells, released, result.notes)
    placed: list[tuple[str, NotebookNode]] = []
    parsed = 0
    for index, cell in enumerate(cells):
        known = chosen.get(index)
        if known is not None:
            placed.append((known.grade_id, _released_node(known, cell.source)))
            continue
        if cell.kind == "markdown":
            parsed += len(cell.source)
        placed.append(("", _plain_node(cell, known_texts, parsed <= MAX_MARKDOWN)))
    _add_missing(placed, released, set(chosen.values()), result)
    result.notebook.cells = [node for _, node in placed]
    for number, node in enumerate(result.notebook.cells):
        node.id = f"cell-{number}"
    return result


def read_cells(data: bytes | None) -> list[Submitted]:
    """The cells of a notebook file of any format version. Unreadable says why there are none."""
    document = _document(data)
    cells = document.get("cells")
    sheets = document.get("worksheets")
    if cells is None and isinstance(sheets, list):
        pages = [_dict(page) for page in cast(list[Any], sheets)]
        cells = [cell for page in pages for cell in _list(page.get("cells"))]
    if not isinstance(cells, list):
        raise Unreadable("The notebook could not be read: it has no cells.")
    found = cast(list[Any], cells)
    if len(found) > MAX_CELLS:
        raise Unreadable(f"The notebook has more than {MAX_CELLS} cells, which is not graded.")
    return [_submitted(_dict(cell)) for cell in found]


def _document(data: bytes | None) -> dict[str, Any]:
    if data is None or data == NOT_HANDED_IN:
        raise Unreadable("No notebook was handed in: hand in the notebook under its own name.")
    if not data.strip():
        raise Unreadable("The notebook is an empty file: save it in JupyterLab, hand it in again.")
    if len(data) > MAX_NOTEBOOK:
        size = MAX_NOTEBOOK >> 20
        raise Unreadable(f"The notebook is longer than {size} MiB: clear its outputs.")
    try:
        # From bytes: JSON may be in UTF-16 or 32 too, and begin with a byte order mark. Integers of
        # thousands of digits are refused by int, and nothing here needs one.
        document = json.loads(data, parse_int=float)
    except (ValueError, RecursionError):
        raise Unreadable(
            "The notebook could not be read: it is not valid JSON. "
            "Open it in JupyterLab, save it and hand it in again."
        ) from None
    if not isinstance(document, dict):
        raise Unreadable("The notebook could not be read: it is JSON, but not a notebook.")
    return cast(dict[str, Any], document)


def _submitted(cell: dict[str, Any]) -> Submitted:
    kind = cell.get("cell_type")
    source = _text(cell.get("source", cell.get("input")))
    if source is None or len(source) > MAX_SOURCE:
        kind, source = "markdown", UNREADABLE_CELL
    metadata = _dict(_dict(cell.get("metadata")).get("nbgrader"))
    return Submitted(
        kind=kind if kind in ("code", "raw") else "markdown",
        source=writable(source),
        grade_id=_name(metadata.get("grade_id")),
        cell_id=_name(cell.get("id")),
    )


def _choose(
    cells: Sequence[Submitted], released: Sequence[ReleasedCell], notes: list[str]
) -> dict[int, ReleasedCell]:
    """Which submitted cell stands for which released one: by grade id, by cell id, by its text.

    Of several, the last one counts, as in nbgrader.
    """
    chosen: dict[int, ReleasedCell] = {}
    for known in released:
        by_grade_id = [i for i, cell in enumerate(cells) if cell.grade_id == known.grade_id]
        if len(by_grade_id) > 1:
            notes.append(f"The cell “{known.grade_id}” was there more than once: the last counts.")
        places = (
            by_grade_id
            or [i for i, cell in enumerate(cells) if cell.cell_id == known.grade_id]
            or [i for i, cell in enumerate(cells) if known.source and cell.source == known.source]
        )
        free = [place for place in places if place not in chosen]
        if free:
            chosen[free[-1]] = known
    return chosen


def _released_node(known: ReleasedCell, source: str) -> NotebookNode:
    """The cell with its released metadata; its text too, unless the learner was to change it."""
    text = known.source if known.locked else source
    metadata = {"nbgrader": known.metadata()}
    if known.cell_type == "code":
        return nodes.code(text, metadata)
    unchanged = text == known.source
    return nodes.markdown(text if unchanged else harmless_markdown(text), metadata)


def _plain_node(cell: Submitted, known_texts: Collection[str], parse: bool) -> NotebookNode:
    """A cell that is the learner's own. parse: False when there was too much Markdown before."""
    if cell.kind == "code":
        return nodes.code(cell.source)
    if cell.source in known_texts and cell.kind == "markdown":
        return nodes.markdown(cell.source)
    if cell.kind == "raw" or not parse:
        return nodes.markdown(literal(cell.source))
    return nodes.markdown(harmless_markdown(cell.source))


def _add_missing(
    placed: list[tuple[str, NotebookNode]],
    released: Sequence[ReleasedCell],
    present: Collection[ReleasedCell],
    result: Repaired,
) -> None:
    """Put graded cells back: behind the released cell before them, or at the end."""
    before = ""
    for known in released:
        if known.needed and known not in present:
            if not result.unreadable:
                result.notes.append(f"The cell “{known.grade_id}” was missing and was put back.")
            place = next(
                (i for i, (name, _) in enumerate(placed) if name == before), len(placed) - 1
            )
            source = known.source
            if known.solution:
                # Other text than the released one, so that a person looks at it.
                source = f"{source}\n\n*(This cell was missing from what was handed in.)*"
            placed.insert(place + 1, (known.grade_id, _released_node(known, source)))
        if any(name == known.grade_id for name, _ in placed):
            before = known.grade_id


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    parts = cast(list[Any], value)
    return "".join(parts) if all(isinstance(part, str) for part in parts) else None


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
