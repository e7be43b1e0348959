"""Makes a candidate's starter files: the files of the chosen tasks, in the candidate's variant.

This is the module's exercise without sections and files of other tasks, without text about these
files, hints and the lesson, without the hints themselves, and without a course's times and points.
Tasks are renumbered, also where the text mentions them.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from hotloop.takehome import cell_names
from hotloop.tasks.curriculum import Module
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.render import render

if TYPE_CHECKING:
    from hotloop.tasks.variants import Variant

_HINT = re.compile(r"<details><summary>Hint: .*?</details>\n*", re.DOTALL)
_ABOUT_HINTS = re.compile(
    r"(\n- | )Stuck\? Each task has three hints\. .*|\n+The lesson has a picture .*"
)
_CARD = re.compile(r"^\*\*\d+ minutes · difficulty \d of 5 · \d+ points\*\*\n\n", re.MULTILINE)
_NO_LESSON = (
    (re.compile(r", also in the hints,"), ""),
    (re.compile(r" and the lesson say\b"), " says"),
    (re.compile(r"(?:(?<=\. )|^)[^.\n|]*\b[Tt]he lesson\b[^.\n|]*\.(?: |$)", re.MULTILINE), ""),
)
_TASKS = re.compile(r"\b([Tt])asks?\s+(\d+(?:(?:,|\s+to|\s+and)\s+\d+)*)\b(\s+are\b)?")
_ABOUT_TASKS = re.compile(
    r":\stasks?\s[\d, toand]+?(?=\s*\|)|,\sfor\stask\s\d+(?=\s*\|)|(?<=\|\s)tasks?\s[\d, toand]+:\s"
)
"""Mentions of tasks in a row of the table of files."""

_FILE = re.compile(r"[\w./-]+\.[A-Za-z]\w{0,8}")
_PROMISE = re.compile(
    r"\s(?:In\s+this\s+notebook|By\s+the\s+end|Here\s+you)\b.+?(?=\n\n)", re.DOTALL
)
"""What the first paragraph says that the whole exercise teaches, to the paragraph's end."""

_SECTION = re.compile(r"^## (\d+)\. ")
_KERNEL = re.compile(r"^// (\d+)\. (?:As (\d+)\., )?", re.MULTILINE)
"""The comment above a kernel, with its task's number."""

_PART = re.compile(r"^# Part \d+: ")
"""The heading of a part, with its hours; a pack has no parts."""

Cell = dict[str, Any]


def starter_files(module: Module, tasks: Iterable[str], variant: Variant) -> dict[str, bytes]:
    """Return the starter files by name, with / between folders."""
    return chosen_files(render(module.id, variant), module, tasks)


def chosen_files(
    exercise: Mapping[str, bytes], module: Module, tasks: Iterable[str]
) -> dict[str, bytes]:
    """Return the parts of a complete exercise that these tasks need."""
    chosen = set(tasks)
    rendered = dict(exercise)
    notebook = _notebook(rendered.pop(NOTEBOOK), module, chosen)
    needed = {name for task in module.tasks if task.id in chosen for name in task.files}
    edited = {name for task in module.tasks for name in task.files}
    dropped = (edited - needed) & rendered.keys()
    kept: dict[str, bytes] = {}
    for name in rendered.keys() - dropped:
        text = text_of(rendered[name])
        if name in needed or not any(_uses(text, other) for other in dropped):
            kept[name] = rendered[name]
    _add_what_is_used(kept, rendered, code_of(notebook))
    numbers = _Numbers.of(module, chosen)
    kept |= {n: numbers.in_kernels(data) for n, data in kept.items() if n.endswith(".cu")}
    notebook = _without_rows(notebook, kept.keys(), rendered.keys() - kept.keys())
    return dict(sorted({**kept, NOTEBOOK: notebook}.items()))


def code_of(notebook: bytes) -> str:
    """Return the notebook's code cells, joined."""
    cells = cast("list[Cell]", json.loads(notebook)["cells"])
    return "\n".join(_source(cell) for cell in cells if cell["cell_type"] == "code")


def _add_what_is_used(kept: dict[str, bytes], all_files: Mapping[str, bytes], code: str) -> None:
    """Add files that the kept files import or name, transitively."""
    texts = [code, *map(text_of, kept.values())]
    while texts:
        text = texts.pop()
        for name in sorted(all_files.keys() - kept.keys()):
            if _uses(text, name):
                kept[name] = all_files[name]
                texts.append(text_of(kept[name]))


def text_of(data: bytes) -> str:
    """Decode text; return "" for data that is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""


def _uses(text: str, name: str) -> bool:
    file = name.rpartition("/")[2]
    if re.search(rf"(?<![\w.]){re.escape(file)}(?![\w.])", text):
        return True
    imports = rf"^\s*(?:import|from)\s[^#\n]*\b{re.escape(_stem(name))}\b"
    return file.endswith(".py") and re.search(imports, text, re.MULTILINE) is not None


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".py")


@dataclass(frozen=True)
class _Unasked:
    """What a pack's notebook must not use, because no chosen task makes it.

    stems, files: of other tasks' files. entries: other tasks' functions in files that a chosen task
    edits too.
    """

    stems: frozenset[str]
    files: frozenset[str]
    entries: frozenset[str]

    @classmethod
    def of(cls, module: Module, chosen: set[str]) -> _Unasked:
        mine = [task for task in module.tasks if task.id in chosen]
        others = [task for task in module.tasks if task.id not in chosen]
        files = {n for t in others for n in t.files} - {n for t in mine for n in t.files}
        entries = {task.entry for task in others if task.entry} - {task.entry for task in mine}
        python = {_stem(name) for name in files if name.endswith(".py")}
        return cls(frozenset(python), frozenset(files), frozenset(entries))

    def is_used_by(self, statement: str) -> bool:
        """True if the statement uses the result of a task that is not chosen."""
        return bool(
            cell_names.modules(statement) & self.stems
            or cell_names.texts(statement) & (self.stems | self.files)
            or cell_names.called(statement) & self.entries
        )


def _notebook(data: bytes, module: Module, chosen: set[str]) -> bytes:
    document = cast("dict[str, Any]", json.loads(data))
    cells = [
        cell for cell in cast("list[Cell]", document["cells"]) if not _PART.match(_source(cell))
    ]
    known = {task.id for task in module.tasks}
    sections: list[tuple[list[Cell], bool]] = []
    learned: set[str] = set()
    for section in _sections(cells):
        tasks = {_grade_id(cell) for cell in section} & known
        # A section counts that belongs to a chosen task, or to no task.
        counts = not tasks or bool(tasks & chosen)
        sections.append((section, counts))
        for cell in section if not counts else ():
            if cell["cell_type"] == "code" and _marks(cell).get("solution"):
                learned |= cell_names.bound(_source(cell))
    spoiled = _spoiled(cells, _Unasked.of(module, chosen))
    learned |= {name for statement in spoiled for name in cell_names.bound(statement)}
    kept = _that_run(_kept(sections, learned), cells, spoiled)
    numbers = _Numbers.of(module, chosen)
    cells = [numbers.in_cell(_without_help(cell)) for cell in kept]
    document["cells"] = [_introduced(cells[0], module, chosen), *cells[1:]]
    return _written(document)


def _introduced(cell: Cell, module: Module, chosen: set[str]) -> Cell:
    """Name the chosen tasks in the first paragraph, instead of what all tasks together teach."""
    text = _PROMISE.sub("", f"{_source(cell)}\n\n", count=1).rstrip()
    head, *paragraphs = text.split("\n\n")
    titles = "\n".join(f"- {task.title}" for task in module.tasks if task.id in chosen)
    parts = [head, *paragraphs[:1], "Your tasks here:", titles, *paragraphs[1:]]
    text = "\n\n".join(parts)
    return {**cell, "source": text.splitlines(keepends=True)}


ELSEWHERE = "(not part of this exercise)"
"""Appended to names in a pack's text that the pack does not contain."""


@dataclass(frozen=True)
class _Numbers:
    """Task numbers in a pack. new: by the module's number. titles: of all tasks, likewise."""

    new: Mapping[int, int]
    titles: Mapping[int, str]

    @classmethod
    def of(cls, module: Module, chosen: set[str]) -> _Numbers:
        titles = {number: task.title for number, task in enumerate(module.tasks, start=1)}
        numbers = [n for n, task in enumerate(module.tasks, start=1) if task.id in chosen]
        return cls({old: new for new, old in enumerate(numbers, start=1)}, titles)

    def in_cell(self, cell: Cell) -> Cell:
        """Renumber tasks in a cell's headings and mentions."""
        if cell["cell_type"] != "markdown":
            return cell
        text = _SECTION.sub(self._heading, _source(cell))
        lines = [
            _ABOUT_TASKS.sub("", line) if line.startswith("| `") else line
            for line in text.split("\n")
        ]
        text = _TASKS.sub(self._mention, "\n".join(lines))
        return {**cell, "source": text.splitlines(keepends=True)}

    def in_kernels(self, data: bytes) -> bytes:
        """Renumber tasks in the comments above a file's kernels."""
        return _KERNEL.sub(self._kernel, data.decode()).encode()

    def _kernel(self, match: re.Match[str]) -> str:
        number, like = match[1], match[2]
        if int(number) not in self.titles:
            return match[0]
        head = self._short(number)
        return f"// {head} As {self._short(like)}, " if like else f"// {head} "

    def _short(self, number: str) -> str:
        new = self.new.get(int(number))
        return f"{new}." if new else ELSEWHERE

    def _heading(self, match: re.Match[str]) -> str:
        old = int(match[1])
        return f"## {self.new.get(old, old)}. "

    def _mention(self, match: re.Match[str]) -> str:
        """Renumber a mention; a number that is no task of the module is left unchanged."""
        meant: list[int] = []
        # `1`, `5 and 6`, `1, 8 and 9`, or `5 to 7`.
        for first, last in re.findall(r"(\d+)(?:\s+to\s+(\d+))?", match[2]):
            meant += range(int(first), int(last or first) + 1)
        if not all(number in self.titles for number in meant):
            return match[0]
        initial, verb = match[1], match[3] or ""
        left = [str(self.new[number]) for number in meant if number in self.new]
        if not left:
            titles = " and ".join(f"“{self.titles[number]}”" for number in meant)
            the = "The" if initial == "T" else "the"
            return f"{the} task{'s' * (len(meant) > 1)} {titles} {ELSEWHERE}{verb}"
        if len(left) == 1:
            return f"{initial}ask {left[0]}{' is' if verb else ''}"
        return f"{initial}asks {', '.join(left[:-1])} and {left[-1]}{verb}"


def _written(notebook: dict[str, Any]) -> bytes:
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _without_rows(notebook: bytes, files: Collection[str], dropped: Collection[str]) -> bytes:
    """Remove dropped files from the notebook's table of files.

    A row's first cell names files, folders (`tuned/`) or patterns (`run_*.json`), separated by
    commas; a row is removed if all of them are dropped.
    """

    def is_lost(name: str) -> bool:
        pattern = f"{name}*" if name.endswith("/") else name
        return bool(fnmatch.filter(dropped, pattern)) and not fnmatch.filter(files, pattern)

    def are_lost(names: list[str]) -> bool:
        return bool(names) and all(map(is_lost, names))

    def row(line: str) -> str:
        if not line.startswith("| `"):
            return line
        _, first, rest = line.split("|", 2)
        names = [name for name in first.split(", ") if not are_lost(re.findall(r"`([^`]+)`", name))]
        return f"| {', '.join(names).strip()} |{rest}" if names else ""

    document = cast("dict[str, Any]", json.loads(notebook))
    for cell in cast("list[Cell]", document["cells"]):
        if cell["cell_type"] == "markdown":
            text = "".join(map(row, _source(cell).splitlines(keepends=True)))
            for name in sorted({name for name in dropped if f"`{name}`" in text}):
                text = text.replace(f"`{name}`", f"`{name}` {ELSEWHERE}", 1)
            cell["source"] = text.splitlines(keepends=True)
    return _written(document)


def _sections(cells: list[Cell]) -> list[list[Cell]]:
    """Split into the cells before the first task's heading, and those of each heading."""
    sections: list[list[Cell]] = [[]]
    for cell in cells:
        if cell["cell_type"] == "markdown" and _SECTION.match(_source(cell)):
            sections.append([])
        sections[-1].append(cell)
    return sections


def _kept(sections: list[tuple[list[Cell], bool]], learned: set[str]) -> list[Cell]:
    """Return the counting sections, and the given statements of others that they depend on."""
    kept: list[Cell] = []
    wanted: set[str] = set()
    # Go backwards, so that the names used by later cells are known.
    for section, counts in reversed(sections):
        for cell in reversed(section):
            used = cell if counts else _used_part(cell, wanted, learned)
            if used is None:
                continue
            kept.insert(0, used)
            wanted |= _read_by(used)
    return kept


def _that_run(notebook: list[Cell], cells: list[Cell], spoiled: set[str]) -> list[Cell]:
    """Remove given cells that try out the result of another task."""
    lost = _bound_by(cells) - _bound_by(notebook)
    runnable: list[Cell] = []
    for cell in notebook:
        statements = cell_names.statements(_source(cell)) if _is_given(cell) else []
        if spoiled & set(statements) or (statements and _read_by(cell) & lost):
            lost |= _bound_by([cell]) - _bound_by(runnable)
            continue
        runnable.append(cell)
    return runnable


def _spoiled(cells: Iterable[Cell], unasked: _Unasked) -> set[str]:
    """Return given statements that depend on tasks not chosen, directly or indirectly."""
    spoiled: set[str] = set()
    files: set[str] = set()
    names: set[str] = set()
    for cell in filter(_is_given, cells):
        for statement in cell_names.statements(_source(cell)):
            mentioned = {text for text in cell_names.texts(statement) if _FILE.fullmatch(text)}
            if unasked.is_used_by(statement) or cell_names.read(statement) & names:
                files |= mentioned
            elif not mentioned & files:
                continue
            spoiled.add(statement)
            names |= cell_names.bound(statement)
    return spoiled


def _used_part(cell: Cell, wanted: set[str], learned: set[str]) -> Cell | None:
    """Return a given cell reduced to statements that define wanted names without `learned`."""
    if not _is_given(cell):
        return None
    wanted = set(wanted)
    used: list[str] = []
    for statement in reversed(cell_names.statements(_source(cell))):
        bound, read = cell_names.bound(statement), cell_names.read(statement)
        if bound & wanted and not (bound | read) & learned:
            used.insert(0, statement)
            wanted |= read
    return {**cell, "source": "\n".join(used).splitlines(keepends=True)} if used else None


def _is_given(cell: Cell) -> bool:
    """True for code that everybody is given: not a learner's cell and not a check."""
    marks = _marks(cell)
    return cell["cell_type"] == "code" and not (marks.get("grade") or marks.get("solution"))


def _bound_by(cells: Iterable[Cell]) -> set[str]:
    return {n for c in cells if c["cell_type"] == "code" for n in cell_names.bound(_source(c))}


def _read_by(cell: Cell) -> set[str]:
    return cell_names.read(_source(cell)) if cell["cell_type"] == "code" else set()


def _without_help(cell: Cell) -> Cell:
    if cell["cell_type"] != "markdown":
        return cell
    text = _ABOUT_HINTS.sub("", _CARD.sub("", _HINT.sub("", _source(cell))))
    for pattern, becomes in _NO_LESSON:
        text = pattern.sub(becomes, text)
    text = text.rstrip()
    return {**cell, "source": text.splitlines(keepends=True)}


def _marks(cell: Cell) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader", {})


def _grade_id(cell: Cell) -> str:
    return str(_marks(cell).get("grade_id", ""))


def _source(cell: Cell) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)
