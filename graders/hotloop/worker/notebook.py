"""Reads a notebook file and runs its code cells in one namespace, without Jupyter.

`hotloop check`, the exploit suite and the tests run notebooks here, where a whole kernel is not
needed. All code that reads a learner's notebook uses `read_cells`, so that a notebook that cannot
be graded gets the same message everywhere.
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
from hotloop.worker import triton_compat

MAX_NOTEBOOK = 16 << 20
"""Largest notebook file that is read, in bytes."""
MAX_CELLS = 2000

_CHECK = re.compile(r"""\bcheck\(\s*["']((\w{1,60})\.\w{1,60})["']""")


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


def code_cells(data: bytes, until: str = "") -> list[str]:
    """Return the text of each code cell. Raises UnreadableNotebook as `read_cells` does.

    until: as in `run_cells`.
    """
    texts: list[str] = []
    for cell in read_cells(data):
        if until and _graded_id(cell) == until:
            break
        if cell.get("cell_type") == "code":
            texts.append(text_of(cell.get("source", cell.get("input"))) or "")
    return texts


def run_cells(path: Path, namespace: dict[str, Any], until: str = "") -> None:
    """Execute the code cells in order. A cell that fails does not stop the cells after it.

    until: the grade id of a task's graded cell. Execution stops there, because the task is judged
    with the names defined up to that cell. Graded cells themselves are never run.
    """
    triton_compat.correct_interpreter()
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
    texts = [text_of(cell.get("source", cell.get("input"))) or "" for cell in cells]
    named: dict[str, str] = {}
    for key, owner in (match for text in texts for match in _CHECK.findall(text)):
        named.setdefault(owner, key)
    if named and module not in named:
        other, key = min(named.items())
        raise UnreadableNotebook(
            f"This is the notebook of {other}: it calls check('{key}'). Expected the notebook of "
            f"{module}: use that one."
        )


def _graded_id(cell: Mapping[str, Any]) -> str:
    """Return the grade id of an automatically graded cell, else ""."""
    metadata = as_message(cell.get("metadata")) or {}
    nbgrader = as_message(metadata.get("nbgrader")) or {}
    is_graded = nbgrader.get("grade") and not nbgrader.get("solution")
    return str(nbgrader.get("grade_id", "")) if is_graded else ""


def _run_cell(text: str, name: str, namespace: dict[str, Any]) -> None:
    source = "\n".join("" if line.startswith(("%", "!")) else line for line in text.splitlines())
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compile(source, name, "exec"), namespace)  # noqa: S102 - the worker runs what it is given
    except BaseException:  # noqa: BLE001 - as in Jupyter, the next cell still runs
        traceback.print_exc(file=sys.stderr)
