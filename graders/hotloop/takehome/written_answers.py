"""Finds a candidate's answers to written tasks.

An editor may drop a cell's id, and an answer may be written in another cell. So no answer counts as
empty while the notebook has text of the candidate's that a person has not read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hotloop.judge.notebook_repair import MISSING_ANSWER
from hotloop.tasks.curriculum import Task
from hotloop.tasks.notebook_cells import readable_cells

LONGEST = 20_000
"""Most characters of an answer that the report quotes."""


@dataclass(frozen=True)
class WrittenAnswer:
    """An answer. elsewhere: it is not in the task's own cell, and may be about something else."""

    text: str
    elsewhere: bool = False


def answer(
    files: Mapping[str, bytes], starter: Mapping[str, bytes], task: Task
) -> WrittenAnswer | None:
    """Return the text in the task's cell or file, or else all text that was not given, or None."""
    for name in task.files:
        own = _text(files.get(name), name, task.id)
        was_given = own == _text(starter.get(name), name, task.id)
        if own and own.strip() and not was_given and MISSING_ANSWER not in own:
            return WrittenAnswer(_short(own))
    beside = [text for name in task.files for text in _beside(files.get(name), starter.get(name))]
    return WrittenAnswer(_short("\n\n".join(beside)), elsewhere=True) if beside else None


def _text(data: bytes | None, name: str, task: str) -> str | None:
    if data is None:
        return None
    if not name.endswith(".ipynb"):
        return data.decode("utf-8", errors="replace")
    return next((cell.source for cell in readable_cells(data) if cell.grade_id == task), None)


def _beside(data: bytes | None, starter: bytes | None) -> Iterator[str]:
    """Yield text cells that were not handed out; code is no answer."""
    known = {cell.source.strip() for cell in readable_cells(starter or b"")}
    for cell in readable_cells(data or b""):
        text = cell.source.strip()
        if cell.kind != "code" and text and text not in known and MISSING_ANSWER not in text:
            yield text


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
