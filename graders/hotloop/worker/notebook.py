"""Reads a notebook file.

All code that reads a learner's notebook uses `read_cells`, so that a notebook that cannot be graded
gets the same message everywhere. `hotloop.worker.cells` runs the cells.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from hotloop.core.wire import as_list, as_message

MAX_NOTEBOOK = 16 << 20
"""Largest notebook file that is read, in bytes."""
MAX_CELLS = 2000
MAX_SOURCE = 256 * 1024
"""Most characters of one cell."""

CELL_S = 60.0
"""Seconds until a cell is interrupted."""
INTERRUPT_S = 2.0
"""Seconds from then until a notebook that does not heed it is ended."""
NOTEBOOK_S = 600.0
"""Seconds for all cells."""
PROCESSES = 128
"""Most processes and threads of a notebook at a time."""

_CHECK = re.compile(r"""\bcheck\(\s*["']((\w{1,60})\.\w{1,60})["']""")
_BINDS = re.compile(
    r"^(?:async[^\S\n]+def|def|class)[^\S\n]+(\w+)|^(\w+)[^\S\n]*(?::[^=\n]*)?=(?!=)", re.MULTILINE
)


class UnreadableNotebook(Exception):
    """The file is not a notebook that can be graded. The message says why and what to do."""


def read_cells(data: bytes, module: str = "", most: int = MAX_NOTEBOOK) -> list[dict[str, Any]]:
    """Return the cells of a notebook file of any format version.

    module: the module that the notebook must belong to; "" for any. most: largest file size in
    bytes.
    Raises UnreadableNotebook with the reason if the file cannot be graded.
    """
    document = _document(data, most)
    cells = document.get("cells")
    sheets = document.get("worksheets")
    if cells is None and isinstance(sheets, list):
        pages = [as_message(page) or {} for page in cast(list[Any], sheets)]
        cells = [cell for page in pages for cell in as_list(page.get("cells"))]
    if not isinstance(cells, list):
        raise UnreadableNotebook("The notebook could not be read: it has no cells.")
    objects = [as_message(cell) or {} for cell in cast(list[Any], cells)]
    if len(objects) > MAX_CELLS:
        raise UnreadableNotebook(
            f"The notebook has more than {MAX_CELLS} cells, which is not graded."
        )
    if module:
        _require_module(objects, module)
    return objects


def text_of(value: Any) -> str | None:
    """Return a cell's source, which may be a string or a list of lines; None if it is neither."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    parts = cast(list[Any], value)
    return "".join(parts) if all(isinstance(part, str) for part in parts) else None


def writable(text: str) -> str:
    """Return the text without lone surrogates and NUL characters.

    JSON can contain surrogates, but files and databases reject them; PostgreSQL rejects NUL.
    """
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


def source_of(cell: Mapping[str, Any]) -> str | None:
    """Return the text of a cell of any format version; None if it has none or is too long."""
    text = text_of(cell.get("source", cell.get("input", "")))
    return None if text is None or len(text) > MAX_SOURCE else writable(text)


def code_cells(data: bytes) -> list[str]:
    """Return the text of each code cell. Raises UnreadableNotebook as `read_cells` does."""
    return [source_of(c) or "" for c in read_cells(data) if c.get("cell_type") == "code"]


def binds(source: str) -> set[str]:
    """Return names that a cell's outermost statements define, also if it is no valid Python."""
    return {name for pair in _BINDS.findall(source) for name in pair if name}


def _document(data: bytes, most: int) -> dict[str, Any]:
    if len(data) > most:
        size = most >> 20
        raise UnreadableNotebook(
            f"The notebook is longer than {size} MiB: clear its outputs, save it, hand it in again."
        )
    if not data.strip():
        raise UnreadableNotebook(
            "The notebook is an empty file: save it in JupyterLab, hand it in again."
        )
    try:
        # json.loads gets bytes because JSON may also be UTF-16 or UTF-32, and may begin with a
        # byte order mark. `int` rejects integers of thousands of digits, and no integer is needed
        # here.
        document = json.loads(data, parse_int=float)
    except (ValueError, RecursionError):
        raise UnreadableNotebook(
            "The notebook could not be read: it is not valid JSON. "
            "Open it in JupyterLab, save it and hand it in again."
        ) from None
    if not isinstance(document, dict):
        raise UnreadableNotebook("The notebook could not be read: it is JSON, but not a notebook.")
    return cast(dict[str, Any], document)


def _require_module(cells: Iterable[Mapping[str, Any]], module: str) -> None:
    """Raise UnreadableNotebook if the notebook checks tasks, all of them from other modules.

    A notebook without any `check` call may have lost cells; what is left of it is graded.
    """
    texts = [source_of(cell) or "" for cell in cells]
    named: dict[str, str] = {}
    for key, owner in (match for text in texts for match in _CHECK.findall(text)):
        named.setdefault(owner, key)
    if named and module not in named:
        other, key = min(named.items())
        raise UnreadableNotebook(
            f"This is the notebook of {other}: it calls check('{key}'). Expected the notebook of "
            f"{module}: use that one."
        )
