"""What a candidate wrote for the tasks that people read.

An editor may drop what names a cell, and an answer may be written below the cell that was meant for
it. So nothing counts as blank while there is text of the candidate's that a person has not read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hotloop.course.repair import MISSING_ANSWER
from hotloop.curriculum import Task
from hotloop.notebook_cells import readable_cells

LONGEST = 20_000
"""Characters of an answer that the report quotes."""


@dataclass(frozen=True)
class Answer:
    """elsewhere: the task's own cell holds none of it. It may be about something else."""

    text: str
    elsewhere: bool = False


def answer(files: Mapping[str, bytes], given: Mapping[str, bytes], task: Task) -> Answer | None:
    """What stands in the task's cell or file, or else all text that the notebook was not given
    with. None where there is neither.
    """
    for name in task.files:
        own = _text(files.get(name), name, task.id)
        was_given = own == _text(given.get(name), name, task.id)
        if own and own.strip() and not was_given and MISSING_ANSWER not in own:
            return Answer(_short(own))
    beside = [text for name in task.files for text in _beside(files.get(name), given.get(name))]
    return Answer(_short("\n\n".join(beside)), elsewhere=True) if beside else None


def _text(data: bytes | None, name: str, task: str) -> str | None:
    if data is None:
        return None
    if not name.endswith(".ipynb"):
        return data.decode("utf-8", errors="replace")
    return next((cell.source for cell in readable_cells(data) if cell.grade_id == task), None)


def _beside(data: bytes | None, given: bytes | None) -> Iterator[str]:
    """Cells of text that were not handed out. Code that somebody tried is no answer."""
    known = {cell.source.strip() for cell in readable_cells(given or b"")}
    for cell in readable_cells(data or b""):
        text = cell.source.strip()
        if cell.kind != "code" and text and text not in known and MISSING_ANSWER not in text:
            yield text


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
