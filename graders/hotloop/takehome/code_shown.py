"""Shows a candidate's code as a diff to the starter, with the lines that the judge names."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from hotloop.course.alike.parts import Language, language_of
from hotloop.course.learner_files import MAX_LINE, lines_of
from hotloop.takehome.report import CheckReport, CodeShown
from hotloop.tasks import task_lines
from hotloop.tasks.curriculum import Task
from hotloop.tasks.notebook_cells import NOTEBOOK, Cell, readable_cells

MOST_LINES = 1500
"""Most lines of one file or cell; no solution has half as many."""

_PLACE = re.compile(r"([\w.-]+\.\w+)(?::|, line )(\d{1,6})")
_CELL_PLACE = re.compile(r"\bline (\d{1,6}) of its cell")
_SOLUTION = "_solution"


def of_task(
    task: Task,
    files: Mapping[str, bytes],
    starter: Mapping[str, bytes],
    checks: Sequence[CheckReport],
) -> list[CodeShown]:
    """Return the files and cells that the task asks to edit, as diffs to the starter.

    A notebook's new cells come before the task's own cell. Files that the candidate added in the
    same languages are included. files: as judged. starter: content of the pack. checks: their
    sentences name lines.
    """
    languages = {language for name in task.files if (language := language_of(name)) is not None}
    parts: list[CodeShown] = []
    for name in task.files:
        if name == NOTEBOOK:
            parts += _cells(task.id, files.get(name, b""), starter.get(name, b""))
        elif name in files and language_of(name) is not None:
            given = lines_of(starter.get(name, b""))
            shown = _shown(name, lines_of(files[name]), given)
            parts.append(_of_task_only(shown, task.id, given))
    for name, data in sorted(files.items()):
        if name not in starter and language_of(name) in languages and not name.endswith(".ipynb"):
            parts.append(_shown(name, lines_of(data), []))
    return [_with_places(shown, checks, alone=len(parts) == 1) for shown in parts]


def language(shown: CodeShown) -> Language | None:
    """Return the language of what is shown, None if unknown; a cell is Python."""
    return "python" if shown.name.startswith(NOTEBOOK) else language_of(shown.name)


def _cells(task: str, data: bytes, starter: bytes) -> Iterator[CodeShown]:
    """Yield the task's own cell, and new cells between it and the previous task's cell."""
    before = {cell.grade_id: cell.source for cell in readable_cells(starter) if cell.grade_id}
    known = {cell.source.strip() for cell in readable_cells(starter)}
    own: list[Cell] = []
    for cell in readable_cells(data):
        if cell.kind != "code":
            continue
        if not cell.grade_id and cell.source.strip() and cell.source.strip() not in known:
            own.append(cell)
        if cell.grade_id == task + _SOLUTION:
            for number, helper in enumerate(own, start=1):
                name = f"{NOTEBOOK} · {task} · new cell {number}"
                yield _shown(name, helper.source.splitlines(), [])
            lines = before.get(cell.grade_id, "").splitlines()
            yield _shown(f"{NOTEBOOK} · {task}", cell.source.splitlines(), lines)
        if cell.grade_id.endswith(_SOLUTION):
            own = []


def _shown(name: str, lines: list[str], starter: list[str]) -> CodeShown:
    shown = [line[:MAX_LINE] for line in lines[:MOST_LINES]]
    added: list[int] = []
    removed: dict[int, list[str]] = {}
    # No autojunk: starters are the team's files and no longer than a solution.
    matcher = SequenceMatcher(None, starter, lines[:MOST_LINES], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind in ("insert", "replace"):
            added += range(c + 1, d + 1)
        if kind in ("delete", "replace"):
            removed[c + 1] = starter[a:b]
    left_out = len(lines) - len(shown)
    return CodeShown(name=name, lines=shown, added=added, removed=removed, left_out=left_out)


def _of_task_only(shown: CodeShown, task: str, starter: Sequence[str]) -> CodeShown:
    """Move changes in other tasks' parts of a shared file to `elsewhere`."""
    owned = task_lines.owners(shown.name, shown.lines, starter)
    others = {n for n, tasks in enumerate(owned, start=1) if tasks and task not in tasks}
    return shown.model_copy(
        update={
            "added": [number for number in shown.added if number not in others],
            "removed": {n: gone for n, gone in shown.removed.items() if n not in others},
            "elsewhere": [number for number in shown.added if number in others],
        }
    )


def _with_places(shown: CodeShown, checks: Iterable[CheckReport], *, alone: bool) -> CodeShown:
    """Add the lines that each check's sentence names.

    alone: nothing else of the notebook is shown, so that "of its cell" means this cell.
    """
    cited: defaultdict[str, set[int]] = defaultdict(set)
    file = shown.name.rpartition("/")[2]
    for check in checks:
        numbers = [int(n) for name, n in _PLACE.findall(check.sentence) if name == file]
        if alone and shown.name.startswith(NOTEBOOK):
            numbers += map(int, _CELL_PLACE.findall(check.sentence))
        cited[check.check] |= {number for number in numbers if 1 <= number <= len(shown.lines)}
    places = {check: sorted(numbers) for check, numbers in cited.items() if numbers}
    return shown.model_copy(update={"cited": places})


@dataclass(frozen=True)
class CodeLine:
    """One line on the page. checks: checks whose sentence names the line.

    number: in the file; None for a removed line, or for a placeholder of folded lines.
    """

    kind: Literal["given", "added", "removed", "folded"]
    text: str
    number: int | None = None
    checks: tuple[str, ...] = ()


AROUND = 3
"""Lines of context around a change or a line that a check names."""


def rows(shown: CodeShown) -> list[CodeLine]:
    """Return changed and named lines with context, and placeholders for the rest."""
    added = set(shown.added)
    cited: defaultdict[int, list[str]] = defaultdict(list)
    for check, lines in shown.cited.items():
        for number in lines:
            cited[number].append(check)
    in_context = {
        near
        for number in {*added, *cited, *shown.removed}
        for near in range(number - AROUND, number + AROUND + 1)
    }
    elsewhere = set(shown.elsewhere)
    found: list[CodeLine] = []
    folded: list[int] = []
    for number, text in enumerate([*shown.lines, None], start=1):
        removed = shown.removed.get(number, [])
        if folded and (removed or text is None or number in in_context):
            found.append(
                CodeLine("folded", _placeholder(len(folded), elsewhere.intersection(folded)))
            )
            folded = []
        found += [CodeLine("removed", line) for line in removed]
        if text is None:
            break
        if number not in in_context:
            folded.append(number)
            continue
        kind = "added" if number in added else "given"
        found.append(CodeLine(kind, text, number, tuple(cited.get(number, ()))))
    if shown.left_out:
        found.append(CodeLine("folded", f"{shown.left_out} more lines are not shown"))
    return found


def _placeholder(count: int, elsewhere: Collection[int]) -> str:
    lines = "1 line" if count == 1 else f"{count} lines"
    return f"{lines}, some of other tasks" if elsewhere else f"{lines} as handed out"
