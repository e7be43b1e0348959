"""Which code of a submission runs when its file is loaded: the file's, and what it imports.

A guess from the text, made only to start a process with the right libraries.
"""

import re
from contextlib import suppress
from pathlib import Path

from hotloop.core.verdict import Ruling
from hotloop.judge.files import SubmissionFiles
from hotloop.worker.notebook import UnreadableNotebook, code_cells

_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w., ]+)", re.MULTILINE)


def reachable_code(root: Path, name: str) -> str:
    """Return the texts of a file and of those beside it that it imports, one after the other."""
    files, texts = SubmissionFiles(root), list[str]()
    there, waiting = set[str](), [name]
    with suppress(OSError):  # a folder that may not be listed
        there.update(path.name for path in root.iterdir())
    while waiting:
        text = _text(files, waiting.pop())
        texts.append(text)
        beside = there & {f"{module}.py" for module in imported_packages(text)}
        waiting += sorted(beside)
        there -= {name, *beside}
    return "\n".join(texts)


def imported_packages(text: str) -> set[str]:
    """Return the names of whole packages that the text imports."""
    return {name for names in _IMPORT.findall(text) for name in _tops(names)}


def _tops(names: str) -> list[str]:
    """Return the packages of `a.b, c as d` or `a.b import c`."""
    of_one = names.partition(" import ")[0]
    return [part.split()[0].partition(".")[0] for part in of_one.split(",") if part.strip(" .")]


def _text(files: SubmissionFiles, name: str) -> str:
    try:
        if not name.endswith(".ipynb"):
            return files.read_text(name)
        return "\n".join(code_cells(files.content(name)))
    except (Ruling, UnreadableNotebook):
        return ""
