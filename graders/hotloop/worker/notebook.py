"""Reads a notebook's file, and runs its code cells in one namespace, without Jupyter.

Run there where a whole kernel is not needed: `hotloop check`, the exploit suite and the tests. Read
wherever a notebook comes from a learner, so that all say the same of one that cannot be graded.
"""

import json
import linecache
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from hotloop.core.wire import as_list, as_message

MAX_NOTEBOOK = 16 << 20
"""Bytes of a notebook file; a longer one is not read."""
MAX_CELLS = 2000

_CHECK = re.compile(r"""\bcheck\(\s*["']((\w{1,60})\.\w{1,60})["']""")


class Unreadable(Exception):
    """The file is no notebook that can be graded. The text says why, and what to do."""


def read_cells(data: bytes, module: str = "", most: int = MAX_NOTEBOOK) -> list[dict[str, Any]]:
    """The cells of a notebook file of any format version. Unreadable says why there are none.

    module: whose notebook it must be. most: bytes of the file.
    """
    document = _document(data, most)
    cells = document.get("cells")
    sheets = document.get("worksheets")
    if cells is None and isinstance(sheets, list):
        pages = [as_message(page) or {} for page in cast(list[Any], sheets)]
        cells = [cell for page in pages for cell in as_list(page.get("cells"))]
    if not isinstance(cells, list):
        raise Unreadable("The notebook could not be read: it has no cells.")
    found = [as_message(cell) or {} for cell in cast(list[Any], cells)]
    if len(found) > MAX_CELLS:
        raise Unreadable(f"The notebook has more than {MAX_CELLS} cells, which is not graded.")
    if module:
        _require_module(found, module)
    return found


def text_of(value: Any) -> str | None:
    """A cell's source, which may be a list of lines; None where it is no text."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    parts = cast(list[Any], value)
    return "".join(parts) if all(isinstance(part, str) for part in parts) else None


def run_cells(path: Path, namespace: dict[str, Any], until: str = "") -> None:
    """Execute the code cells in order; a cell that fails does not stop the ones behind it.

    until: the graded cell of a task. It is judged where it stands, and what comes behind it is not
        run. Graded cells themselves are never run.
    """
    for index, cell in enumerate(read_cells(path.read_bytes())):
        if cell.get("cell_type") != "code":
            continue
        graded = _graded_id(cell)
        if graded and graded == until:
            return
        if graded:
            continue
        text = text_of(cell.get("source", cell.get("input"))) or ""
        _run_cell(text, f"<cell {index}>", namespace)


def _document(data: bytes, most: int) -> dict[str, Any]:
    if len(data) > most:
        size = most >> 20
        raise Unreadable(
            f"The notebook is longer than {size} MiB: clear its outputs, save it, hand it in again."
        )
    if not data.strip():
        raise Unreadable("The notebook is an empty file: save it in JupyterLab, hand it in again.")
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


def _require_module(cells: Iterable[Mapping[str, Any]], module: str) -> None:
    """Unreadable when the tasks that the notebook checks are all of other modules.

    A notebook that checks none may have lost its cells; what is left of it is graded.
    """
    texts = [text_of(cell.get("source", cell.get("input"))) or "" for cell in cells]
    named: dict[str, str] = {}
    for key, of in (found for text in texts for found in _CHECK.findall(text)):
        named.setdefault(of, key)
    if named and module not in named:
        other, key = min(named.items())
        raise Unreadable(
            f"This is the notebook of {other}: it calls check('{key}'). Expected the notebook of "
            f"{module}: use that one."
        )


def _graded_id(cell: Mapping[str, Any]) -> str:
    """The grade id of an automatically graded cell, else nothing."""
    metadata = as_message(cell.get("metadata")) or {}
    told = as_message(metadata.get("nbgrader")) or {}
    return str(told.get("grade_id", "")) if told.get("grade") and not told.get("solution") else ""


def _run_cell(text: str, name: str, namespace: dict[str, Any]) -> None:
    source = "\n".join("" if line.startswith(("%", "!")) else line for line in text.splitlines())
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compile(source, name, "exec"), namespace)  # noqa: S102 - the worker runs what it is given
    except BaseException:  # noqa: BLE001 - as in Jupyter, the next cell still runs
        traceback.print_exc(file=sys.stderr)
