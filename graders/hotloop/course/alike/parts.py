"""Splits a submission's code into the parts that are compared: solution cells and files."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from hotloop.tasks.curriculum import Module
from hotloop.tasks.notebook_cells import readable_cells

Language = Literal["python", "cuda", "text"]

LONGEST = 64 * 1024
"""Characters that are read of a part: no solution has half as many.

Lexing some texts takes time quadratic in their length.
"""

_LANGUAGES: dict[str, Language] = {
    ".py": "python",
    ".ipynb": "python",
    ".cu": "cuda",
    ".cuh": "cuda",
    ".cpp": "cuda",
    ".h": "cuda",
    ".pbtxt": "text",
}
_COMMENTS: dict[Language, re.Pattern[str]] = {
    "python": re.compile(r"^[^\S\n]*#.*$", re.MULTILINE),
    "cuda": re.compile(r"^[^\S\n]*//.*$", re.MULTILINE),
    "text": re.compile(r"^[^\S\n]*#.*$", re.MULTILINE),
}
"""Whole-line comments; removed before a part is cut, so that they cannot push code past the cut."""

_SOLUTION = "_solution"
_MAGIC = re.compile(r"^[^\S\n]*[%!].*$", re.MULTILINE)


@dataclass(frozen=True)
class WorkPart:
    """One part. name: `file`, or `file · task` for a notebook cell. tasks: those it can answer."""

    name: str
    tasks: tuple[str, ...]
    language: Language
    text: str


def parts(files: Mapping[str, bytes], module: Module, tasks: Iterable[str]) -> list[WorkPart]:
    """Return the parts that these tasks ask for. Files that are not program text are skipped."""
    wanted = [module.task(name) for name in tasks]
    owners: dict[str, list[str]] = {}
    for task in wanted:
        for name in task.files if task.kind == "code" else ():
            owners.setdefault(name, []).append(task.id)
    result: list[WorkPart] = []
    for name, owned in owners.items():
        language = language_of(name)
        if language is None or name not in files:
            continue
        if name.endswith(".ipynb"):
            result += _cells(name, files[name], owned)
        else:
            text = _read(files[name], language)
            result.append(WorkPart(name, tuple(owned), language, text[:LONGEST]))
    return result


def with_more(
    part: WorkPart, files: Mapping[str, bytes], starter: Mapping[str, bytes]
) -> WorkPart | None:
    """Return the part together with program files that the candidate added.

    Code may have moved there. None if there are none of its language.
    """
    more = [
        _read(data, part.language)
        for name, data in files.items()
        if name not in starter and not name.endswith(".ipynb")
        if language_of(name) == part.language
    ]
    if not more:
        return None
    return replace(part, text="\n".join([part.text, *more])[:LONGEST])


def _read(data: bytes, language: Language) -> str:
    return _COMMENTS[language].sub("", data.decode("utf-8", errors="replace"))


def language_of(name: str) -> Language | None:
    """Return the language by the file's suffix; None if it is not program text."""
    _, dot, suffix = name.rpartition(".")
    return _LANGUAGES.get(dot + suffix)


def _cells(name: str, data: bytes, tasks: list[str]) -> list[WorkPart]:
    """Return one part per task: its solution cell and the candidate's new cells before it.

    Helpers may be in those cells. Copies of a solution cell belong to the same part.
    """
    sources: dict[str, list[str]] = {}
    own: list[str] = []
    for cell in readable_cells(data):
        if cell.kind != "code":
            continue
        source = _MAGIC.sub("", cell.source)
        if not cell.grade_id:
            own.append(source)
        elif cell.grade_id.endswith(_SOLUTION):
            task = cell.grade_id.removesuffix(_SOLUTION)
            if task in tasks:
                sources.setdefault(task, []).extend([*own, source])
            own = []
    read = {
        task: _COMMENTS["python"].sub("", "\n\n".join(texts)) for task, texts in sources.items()
    }
    return [
        WorkPart(f"{name} · {task}", (task,), "python", text[:LONGEST])
        for task, text in read.items()
    ]
