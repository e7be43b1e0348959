"""Whether a task's cell was edited after it last ran, so that the kernel holds an older answer.

The kernel notes when it runs a cell with a task's mark. The cell is stale where the notebook was
saved after that and has another text there: what was run and is not saved yet is no reason.
"""

import re
import sys
import time
from pathlib import Path
from typing import Any, cast

from hotloop.worker.notebook import Unreadable, read_cells, text_of

_MARK = re.compile(r"^### TASK (\w+\.\w+)", re.MULTILINE)

_ran: dict[str, tuple[str, float]] = {}
"""By task: the text that was run last, and when, in seconds since 1970."""


def watch() -> None:
    """Note from now on what this kernel runs; nothing outside of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = cast(Any, ipython).get_ipython() if ipython is not None else None
    if shell is not None:
        shell.events.register("pre_run_cell", _before_a_cell)


def _before_a_cell(info: Any) -> None:
    note(str(info.raw_cell))


def note(text: str) -> None:
    """A cell is about to run."""
    for task in _MARK.findall(text):
        _ran[task] = text.strip(), time.time()


def advice(task: str, notebook: Path) -> str:
    """A sentence for the learner; empty where the cell is what was run, or nobody knows."""
    if task not in _ran or not notebook.is_file():
        return ""
    text, at = _ran[task]
    if notebook.stat().st_mtime <= at:
        return ""
    try:
        cells = read_cells(notebook.read_bytes())
    except Unreadable:
        return ""
    saved = [(text_of(cell.get("source")) or "").strip() for cell in cells]
    marked = [each for each in saved if task in _MARK.findall(each)]
    if not marked or text in marked:
        return ""
    return (
        f"The cell of {task} was changed after it last ran: this verdict is about the older text. "
        "Run the cell, then check again."
    )
