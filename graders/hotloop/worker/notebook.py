"""Runs a notebook's code cells in one namespace, without Jupyter.

Used where a whole kernel is not needed: `hotloop check`, the exploit suite and the tests.
"""

from __future__ import annotations

import json
import linecache
import sys
import traceback
from pathlib import Path
from typing import Any


def run_cells(path: Path, namespace: dict[str, Any]) -> None:
    """Execute every code cell in order; a cell that fails does not stop the ones behind it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for index, cell in enumerate(notebook.get("cells", [])):
        if cell.get("cell_type") != "code":
            continue
        source: str | list[str] = cell.get("source", "")
        text = source if isinstance(source, str) else "".join(source)
        _run_cell(text, f"<cell {index}>", namespace)


def _run_cell(text: str, name: str, namespace: dict[str, Any]) -> None:
    source = "\n".join("" if line.startswith(("%", "!")) else line for line in text.splitlines())
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compile(source, name, "exec"), namespace)  # noqa: S102 - the worker runs what it is given
    except BaseException:  # noqa: BLE001 - as in Jupyter, the next cell still runs
        traceback.print_exc(file=sys.stderr)
