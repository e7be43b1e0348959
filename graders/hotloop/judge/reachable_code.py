"""Which code of a submission runs when its file is loaded: the file's, and what it imports.

A guess from the text, made only to start a process with the right libraries.
"""

import re
from pathlib import Path

from hotloop.core.verdict import Ruling
from hotloop.judge.files import SubmissionFiles
from hotloop.worker.notebook import UnreadableNotebook, code_cells

_IMPORT = re.compile(r"^\s*(?:from|import)\s+([\w., ]+)", re.MULTILINE)


def reachable_code(root: Path, name: str, task: str = "") -> str:
    """Return the texts of a file and of those beside it that it imports, one after the other.

    task: of a notebook, the cells before the check of this task are read.
    """
    files, texts = SubmissionFiles(root), list[str]()
    known, waiting = {name}, [name]
    while waiting:
        text = _text(files, waiting.pop(), task)
        texts.append(text)
        beside = {f"{module}.py" for names in _IMPORT.findall(text) for module in _tops(names)}
        waiting += sorted(each for each in beside - known if (root / each).is_file())
        known |= beside
    return "\n".join(texts)


def imported_packages(text: str) -> set[str]:
    """Return the names of whole packages that the text imports."""
    return {name for names in _IMPORT.findall(text) for name in _tops(names)}


def _tops(names: str) -> list[str]:
    """Return the packages of `a.b, c as d` or `a.b import c`."""
    of_one = names.partition(" import ")[0]
    return [part.split()[0].partition(".")[0] for part in of_one.split(",") if part.strip(" .")]


def _text(files: SubmissionFiles, name: str, task: str) -> str:
    try:
        if not name.endswith(".ipynb"):
            return files.read_text(name)
        return "\n".join(code_cells(files.content(name), task))
    except (Ruling, UnreadableNotebook):
        return ""
