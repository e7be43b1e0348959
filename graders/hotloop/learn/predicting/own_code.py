"""The changes that can be made to code that a person wrote."""

import ast
import difflib
import hashlib
import itertools
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hotloop.learn.mutation import Edit, c_code, config_text, graphs, kernels, python_code
from hotloop.tasks import task_lines
from hotloop.tasks.curriculum import Module
from hotloop.tasks.notebook_cells import NOTEBOOK, readable_cells
from hotloop.tasks.variants import Variant

_C = (".cu", ".cpp")
_CONFIG = ".pbtxt"
_DULL = (
    *("wrong constant", "other arithmetic", "opposite function", "swapped arguments"),
    *("wrong order", "missing statement", "wrong connective", "narrower type"),
)
"""Operators whose effect takes no understanding to predict; they are used last."""


@dataclass(frozen=True)
class PredictedSubmission:
    """A submission for one module.

    files: by name, including the notebook. given: the starter files, by name. digests: as `given`
    in `Job`. variant: as in `Job`.
    """

    module: Module
    tasks: tuple[str, ...]
    files: Mapping[str, bytes] = field(repr=False)
    given: Mapping[str, bytes] = field(repr=False)
    variant: Variant | None = None
    digests: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def with_text(self, code: "Code", text: str) -> "PredictedSubmission":
        """Return the work with `text` in place of `code`."""
        data = with_cell(self.files[NOTEBOOK], code.cell, text) if code.cell else text.encode()
        return replace(self, files={**self.files, code.file: data})


@dataclass(frozen=True)
class Code:
    """The text that answers a task: a file, or the notebook's cell with the grade id `cell`.

    own: numbers of the lines that the author wrote for this task alone, counted from 1.
    """

    task: str
    file: str
    cell: str
    text: str = field(repr=False)
    own: frozenset[int] = field(repr=False)


@dataclass(frozen=True)
class CodeEdit:
    """One edit in a task's code. `id` depends only on the operator and the resulting text."""

    code: Code
    edit: Edit

    @property
    def text(self) -> str:
        """The whole text after the change."""
        return self.edit.made_in(self.code.text)

    @property
    def id(self) -> str:
        """A hash by which changes are sorted, so that their order is arbitrary but stable."""
        return hashlib.sha256(f"{self.edit.operator}|{self.text}".encode()).hexdigest()

    @property
    def line(self) -> int:
        """Number of the first line of the edit, from 1."""
        return self.code.text.count("\n", 0, self.edit.start) + 1

    def diff(self) -> list[str]:
        """Return a unified diff with three lines of context, starting with its `@@` line."""
        lines = difflib.unified_diff(
            self.code.text.splitlines(), self.text.splitlines(), lineterm="", n=3
        )
        return list(lines)[2:]


def code_of(work: PredictedSubmission, task: str) -> list[Code]:
    """Return the texts of a task that contain lines of the author."""
    found: list[Code] = []
    for name in work.module.task(task).files:
        if name == NOTEBOOK:
            cell = f"{task}_solution"
            text, starter = _cell(work.files, cell), _cell(work.given, cell)
        elif name.endswith((".py", _CONFIG, *_C)):
            cell, text, starter = "", _text(work.files, name), _text(work.given, name)
        else:
            continue
        own = _own_lines(text, starter)
        if not cell:
            own &= task_lines.lines_of_one(task, name, text.split("\n"), starter.split("\n"))
        if own:
            found.append(Code(task, name, cell, text, own))
    return found


def changes(work: PredictedSubmission, task: str) -> list[CodeEdit]:
    """Return all changes to a task's own lines, each resulting text once.

    Operators take turns; those with an obvious effect come last.
    """
    by_operator: dict[str, list[CodeEdit]] = defaultdict(list)
    seen: set[str] = set()
    for code in code_of(work, task):
        for edit in _edits(code):
            change = CodeEdit(code, edit)
            if change.text not in seen and _is_within(change) and _is_code(change):
                seen.add(change.text)
                by_operator[edit.operator].append(change)
    queues = [sorted(found, key=lambda change: change.id) for found in by_operator.values()]
    queues.sort(key=lambda queue: (queue[0].edit.operator in _DULL, queue[0].id))
    turns = itertools.zip_longest(*(q for q in queues if q[0].edit.operator not in _DULL))
    dull = itertools.zip_longest(*(q for q in queues if q[0].edit.operator in _DULL))
    return [change for turn in (*turns, *dull) for change in turn if change is not None]


def _edits(code: Code) -> Iterator[Edit]:
    if code.file.endswith(_CONFIG):
        yield from config_text.edits(code.text)
        return
    if code.file.endswith(_C):
        yield from kernels.c_edits(code.text)
        yield from c_code.edits(code.text)
        return
    try:
        yield from kernels.python_edits(code.text)
        yield from graphs.edits(code.text)
        yield from python_code.edits(code.text)
    except SyntaxError:
        # The text has a notebook magic, or is an unfinished file.
        return


def _is_within(change: CodeEdit) -> bool:
    first = change.line
    last = first + change.code.text.count("\n", change.edit.start, change.edit.end)
    return {first, last} <= change.code.own


def _is_code(change: CodeEdit) -> bool:
    if change.code.file.endswith((_CONFIG, *_C)):
        return True
    try:
        ast.parse(change.text)
    except SyntaxError:
        return False
    return True


def _own_lines(text: str, starter: str) -> frozenset[int]:
    """Return the non-empty lines that are not in the starter."""
    lines, before = text.split("\n"), starter.split("\n")
    matcher = difflib.SequenceMatcher(None, before, lines, autojunk=False)
    return frozenset(
        number + 1
        for kind, _, _, first, end in matcher.get_opcodes()
        if kind != "equal"
        for number in range(first, end)
        if lines[number].strip()
    )


def _text(files: Mapping[str, bytes], name: str) -> str:
    return files.get(name, b"").decode("utf-8", "replace")


def _cell(files: Mapping[str, bytes], grade_id: str) -> str:
    cells = readable_cells(files.get(NOTEBOOK, b""))
    return next((cell.source for cell in cells if cell.grade_id == grade_id), "")


def with_cell(notebook: bytes, grade_id: str, text: str) -> bytes:
    """Return the notebook with `text` in the cell of that id."""
    document: dict[str, Any] = json.loads(notebook)
    for cell in document["cells"]:
        if cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") == grade_id:
            cell["source"] = text
    return json.dumps(document).encode()
