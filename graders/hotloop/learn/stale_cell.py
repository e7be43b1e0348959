"""Detects a task's cell that was edited after it last ran, so that the kernel has older code.

The kernel notes when it runs a cell with a task's mark. The cell is stale if the notebook was saved
later with another text in it. A cell that was run but not saved is not stale.
"""

import re
import sys
import time
from pathlib import Path
from typing import Any, cast

from hotloop.worker.notebook import UnreadableNotebook, read_cells, text_of

_MARK = re.compile(r"^### TASK (\w+\.\w+)", re.MULTILINE)

_ran: dict[str, tuple[str, float]] = {}
"""By task: text of the cell that ran last, and its time in seconds since 1970."""


def watch() -> None:
    """Start noting the cells that this kernel runs; does nothing outside of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = cast(Any, ipython).get_ipython() if ipython is not None else None
    if shell is not None:
        shell.events.register("pre_run_cell", _before_a_cell)


def _before_a_cell(info: Any) -> None:
    note(str(info.raw_cell))


def note(text: str) -> None:
    """Record the task's cell that is about to run."""
    for task in _MARK.findall(text):
        _ran[task] = text.strip(), time.time()


def advice(task: str, notebook: Path) -> str:
    """Return a sentence for the learner if the cell is stale, otherwise an empty string."""
    if task not in _ran or not notebook.is_file():
        return ""
    text, at = _ran[task]
    if notebook.stat().st_mtime <= at:
        return ""
    try:
        cells = read_cells(notebook.read_bytes())
    except UnreadableNotebook:
        return ""
    saved = [(text_of(cell.get("source")) or "").strip() for cell in cells]
    marked = [each for each in saved if task in _MARK.findall(each)]
    if not marked or text in marked:
        return ""
    return (
        f"The cell of {task} was changed after it last ran: this verdict is about the older text. "
        "Run the cell, then check again."
    )
