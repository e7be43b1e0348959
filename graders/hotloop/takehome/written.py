"""What a candidate wrote for the tasks that people read."""

from __future__ import annotations

from collections.abc import Mapping

from hotloop.curriculum import Task
from hotloop.takehome.notebook_cells import cells

LONGEST = 20_000
"""Characters of an answer that the report quotes."""


def answer(files: Mapping[str, bytes], given: Mapping[str, bytes], task: Task) -> str | None:
    """The text of the task's cell or file; None where it is missing or as it was handed out."""
    for name in task.files:
        own = _text(files.get(name), name, task.id)
        if own and own.strip() and own != _text(given.get(name), name, task.id):
            return own if len(own) <= LONGEST else f"{own[:LONGEST]}…"
    return None


def _text(data: bytes | None, name: str, task: str) -> str | None:
    if data is None:
        return None
    if not name.endswith(".ipynb"):
        return data.decode("utf-8", errors="replace")
    return next((cell.source for cell in cells(data) if cell.grade_id == task), None)
