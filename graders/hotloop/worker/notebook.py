"""Runs a notebook's code cells in one namespace, without Jupyter.

Used where a whole kernel is not needed: `hotloop check`, the exploit suite and the tests.
"""

from __future__ import annotations

import json
import linecache
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotloop.worker.wire import as_message


def run_cells(path: Path, namespace: dict[str, Any], until: str = "") -> None:
    """Execute the code cells in order; a cell that fails does not stop the ones behind it.

    until: the graded cell of a task. It is judged where it stands, and what comes behind it is not
        run. Graded cells themselves are never run.
    """
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for index, cell in enumerate(notebook.get("cells", [])):
        if cell.get("cell_type") != "code":
            continue
        graded = _graded_id(cell)
        if graded and graded == until:
            return
        if graded:
            continue
        source: str | list[str] = cell.get("source", "")
        text = source if isinstance(source, str) else "".join(source)
        _run_cell(text, f"<cell {index}>", namespace)


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
