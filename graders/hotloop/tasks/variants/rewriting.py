"""Rewrites a module's text into a variant, line by line, with the form's edits and names."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from string import Template

from hotloop.core.variant import Variant
from hotloop.tasks.markers import Lines, Piece, Region
from hotloop.tasks.variants.form import ARGUMENT, Choice, VariantEdit, form_of

_TEXTS = (".py", ".cu", ".cpp", ".md", ".ipynb")
"""Suffixes of files in which names are replaced; recorded data is not changed."""

_CELL = "# %%"
"""A cell's first line contains nbgrader's metadata and is not rewritten."""


@dataclass(frozen=True)
class _FilledEdit:
    """An edit with its slots filled. tasks: whose answers it applies to; None for given text."""

    edit: VariantEdit
    becomes: str
    tasks: frozenset[str] | None


class Rewriting:
    """Applies one variant to the files of its module. stems: names of the module's files."""

    def __init__(self, variant: Variant, stems: Iterable[str]) -> None:
        self._module = variant.module
        self._edits = [
            edit
            for choice in form_of(variant.module).choices
            for edit in _filled_edits(choice, variant)
        ]
        before = "|".join(map(re.escape, sorted(stems)))
        self._names = [
            (re.compile(rf"(?<![\w.])((?:(?:{before})\.)?){re.escape(old)}(?!\w)"), rf"\g<1>{new}")
            for old, new in variant.names.items()
        ]

    def pieces(self, pieces: Sequence[Piece], file: str) -> list[Piece]:
        """Rewrite a file's parts: given text, and each region's stub and body."""
        rewritten: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, Region):
                stub, body = self.given(piece.stub, file), self.answer(piece.body, piece.key, file)
                rewritten.append(replace(piece, stub=tuple(stub), body=tuple(body)))
            elif isinstance(piece, str):
                rewritten += self.given([piece], file)
            else:
                rewritten.append(piece)
        return rewritten

    def given(self, lines: Iterable[str], file: str) -> Lines:
        """Rewrite lines that a learner gets as they are."""
        return self._rewritten(lines, file, [e for e in self._edits if e.tasks is None])

    def answer(self, lines: Iterable[str], key: str, file: str) -> Lines:
        """Rewrite lines that a learner writes, in a region or in a wrong answer."""
        task = key.split(" ")[0].removeprefix(f"{self._module}.")
        mine = [e for e in self._edits if e.tasks is not None and task in e.tasks]
        return self._rewritten(lines, file, mine)

    def hints(self, lines: Iterable[str], key: str, file: str) -> Lines:
        """Rewrite lines that explain a task and can include code."""
        return self.given(self.answer(lines, key, file), file)

    def _rewritten(self, lines: Iterable[str], file: str, edits: Sequence[_FilledEdit]) -> Lines:
        here = [e for e in edits if not e.edit.files or file in e.edit.files]
        rewritten: Lines = []
        for line in lines:
            if line.startswith(_CELL):
                rewritten.append(line)
                continue
            for filled in here:
                line = _edited(line, filled.edit.find, filled.becomes)
            rewritten += self._renamed(line, file).split("\n")
        return rewritten

    def _renamed(self, line: str, file: str) -> str:
        if not file.endswith(_TEXTS):
            return line
        for pattern, new in self._names:
            line = pattern.sub(new, line)
        return line


def _filled_edits(choice: Choice, variant: Variant) -> list[_FilledEdit]:
    constants = {**choice.plain, **choice.of(variant.constants)}
    if constants == choice.plain:
        return []
    slots = choice.slots(constants)

    def filled(edits: Iterable[VariantEdit], tasks: frozenset[str] | None) -> list[_FilledEdit]:
        return [_FilledEdit(e, Template(e.becomes).substitute(slots), tasks) for e in edits]

    return [*filled(choice.answers, frozenset(choice.tasks)), *filled(choice.text, None)]


def _edited(line: str, find: str, becomes: str) -> str:
    if ARGUMENT in find:
        before, _, after = find.partition(ARGUMENT)
        return _with_argument(line, before, after, becomes)
    start = line.find(find)
    if start < 0:
        return line
    return line.replace(find, _indented(becomes, line))


def _with_argument(line: str, before: str, after: str, becomes: str) -> str:
    """Replace calls, including nested ones; skips a parenthesis that closes on another line."""
    start = line.find(before)
    end = _closing(line, start + len(before)) if start >= 0 else None
    if end is None:
        return line
    argument, rest = line[start + len(before) : end], line[end:]
    if not rest.startswith(after):
        return line[:end] + _with_argument(rest, before, after, becomes)
    inner = _with_argument(argument, before, after, becomes)
    rest = _with_argument(rest[len(after) :], before, after, becomes)
    return line[:start] + _indented(becomes, line).replace(ARGUMENT, inner) + rest


def _closing(line: str, start: int) -> int | None:
    depth = 1
    for at in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            return at
    return None


def _indented(text: str, line: str) -> str:
    """Indent the text's further lines like `line`."""
    return text.replace("\n", "\n" + line[: len(line) - len(line.lstrip())])
