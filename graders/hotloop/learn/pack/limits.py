"""Size limits of a submission, which the candidate's and the team's side both enforce."""

import re
from collections.abc import Collection
from pathlib import PurePosixPath

MAX_UPLOAD = 16 << 20
"""Maximum bytes of the zip."""

MAX_ENTRIES = 200
MAX_FILE = 4 << 20
"""Bytes of one file, the judge's limit."""

MAX_NOTEBOOK = 64 << 20
"""Bytes of a notebook on the candidate's disk with outputs, which are not handed in."""

MAX_TOTAL = 24 << 20
"""Maximum bytes of all files together, unpacked."""

MAX_RATIO = 200
"""Limit on unpacked/packed size, for files larger than SMALL. Program text reaches 20."""

SMALL = 64 << 10
"""Bytes up to which the ratio is not checked: nearly empty files compress well."""

MAX_NAME = 160
MAX_DEPTH = 8
MAX_CELLS = 1000

FILES = "files/"
"""The folder in a submission that contains the work."""

_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


def name_fault(name: str) -> str | None:
    """Return why a file name is not allowed, or None if it is.

    Only unaccented letters, digits and three other characters are allowed: nothing that has a
    special meaning for a file system, terminal, web page or spreadsheet.
    """
    if len(name) > MAX_NAME:
        return f"is longer than {MAX_NAME} characters"
    parts = name.split("/")
    if len(parts) > MAX_DEPTH:
        return f"lies deeper than {MAX_DEPTH} folders"
    if not all(_PART.fullmatch(part) for part in parts):
        return "has other characters than letters, digits and . _ - , or begins with one of these"
    if any(part.endswith(".") for part in parts):
        return "ends with a dot"
    return None


def together_fault(names: Collection[str]) -> str | None:
    """Why files may not be handed in together; None when every file system has room for them."""
    if len(names) > MAX_ENTRIES:
        return f"There are more than {MAX_ENTRIES} files: move what is no work elsewhere."
    taken: dict[str, str] = {}
    for name in names:
        other = taken.setdefault(name.casefold(), name)
        if other != name:
            return f"{other} and {name} differ by capitals only: rename one."
    for name in taken:
        for folder in map(str, PurePosixPath(name).parents):
            if folder in taken:
                return f"{taken[folder]} cannot be a file and a folder: rename one."
    return None
