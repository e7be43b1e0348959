"""Finds the released cells in a submitted notebook, whatever an editor did to its cells.

Editors copy cells with their names, split them, drop names, and change kinds. A cell is recognized
by nbgrader's name, the format's id, the line that marks its task, or its text, in this order.
"""

import ast
import re
import warnings
from collections.abc import Sequence

from hotloop.judge.notebook_release import Release, ReleasedCell
from hotloop.worker.notebook import binds as binds
from hotloop.worker.notebook_cells import Cell

LONGEST_PROSE = 64 * 1024
"""Most characters of a code cell that may be an answer in words."""

_MARK = re.compile(r"^\s*(### TASK [^\n]+)")
_MAGIC = re.compile(r"^[^\S\n]*[%!].*$", re.MULTILINE)
_FENCED = re.compile(r"^\s*```\w*\n(.*)\n```\s*$", re.DOTALL)


def words(text: str) -> str:
    """Return the text without differences that editors make: blanks, and ends of lines."""
    return " ".join(text.split())


def says_something(text: str) -> bool:
    """True for a text with at least one letter or digit."""
    return any(map(str.isalnum, text))


def is_answer(known: ReleasedCell, source: str) -> bool:
    """False for a cell that is empty or as it was handed out."""
    return says_something(source) and words(source) != words(known.source)


def as_python(source: str) -> str | None:
    """Return the source if it is Python with statements that do something, else None."""
    source = fenced[1] if (fenced := _FENCED.match(source)) else source
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            tree = ast.parse(_MAGIC.sub("", source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    does = [node for node in tree.body if not _is_constant(node)]
    return source if does else None


def is_prose(source: str) -> bool:
    """True for sentences in a code cell, also as comments; False for code and for magics."""
    if source.startswith("%%") or len(source) > LONGEST_PROSE:
        return False
    return says_something(_MAGIC.sub("", source)) and as_python(source) is None


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


Copies = dict[str, list[int]]
"""By grade id, the places of a released cell in the submitted notebook, in order."""


def copies(cells: Sequence[Cell], release: Release) -> Copies:
    """Return where each released cell is. A code answer must be a code cell, to be run."""
    by_id = {known.grade_id: known for known in release.cells}
    by_mark = {mark: known for known in release.cells if (mark := mark_of(known.source))}
    found: Copies = {}
    for place, cell in enumerate(cells):
        known = (
            by_id.get(cell.grade_id) or by_id.get(cell.cell_id) or by_mark.get(mark_of(cell.source))
        )
        if known is not None and can_be(cell, known):
            found.setdefault(known.grade_id, []).append(place)
    taken = {place for places in found.values() for place in places}
    by_text: Copies = {}
    for place, cell in enumerate(cells):
        if place not in taken:
            by_text.setdefault(words(cell.source), []).append(place)
    for known in release.cells:
        same = by_text.get(words(known.source), [])
        places = [place for place in same if can_be(cells[place], known)]
        if known.source and places and known.grade_id not in found:
            found[known.grade_id] = places
            by_text.pop(words(known.source))
    return found


def can_be(cell: Cell, known: ReleasedCell) -> bool:
    """False for text where code was asked for: no kernel runs it."""
    return not (known.cell_type == "code" and known.solution) or cell.kind in ("code", "")


def mark_of(source: str) -> str:
    """Return the line that marks a task's cell, or ""."""
    found = _MARK.match(source)
    return words(found[1]) if found else ""


def answers_of(released: Sequence[ReleasedCell]) -> dict[str, list[ReleasedCell]]:
    """Return by check cell the cells in which a learner answers its task, those before it."""
    by_check: dict[str, list[ReleasedCell]] = {}
    waiting: list[ReleasedCell] = []
    for known in released:
        if known.grade and not known.solution:
            by_check[known.grade_id], waiting = waiting, []
        elif known.solution and not known.grade:
            waiting.append(known)
    return by_check
