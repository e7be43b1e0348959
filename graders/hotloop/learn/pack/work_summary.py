"""A summary of the candidate's files at the last event, so that the work log can count changes.

For each file it contains a short digest of every line, never the lines.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from hotloop.core import whole_file
from hotloop.core.document import Strict
from hotloop.learn.pack import limits, work_files
from hotloop.tasks.notebook_cells import readable_cells

NAME = "work_log_seen.json"

Lines = dict[str, list[str]]
_LINES = TypeAdapter(Lines)
Count = Annotated[int, Field(ge=0, le=10_000_000)]


class LineCounts(Strict):
    """Numbers of added and removed lines; a moved line counts as neither."""

    added: Count
    removed: Count


def summary(files: Mapping[str, bytes]) -> bytes:
    """Return the content of the summary file."""
    return (json.dumps({name: _lines(name, data) for name, data in files.items()}) + "\n").encode()


def since_last(folder: Path) -> dict[str, LineCounts]:
    """Return the changes in `folder` by file; unchanged files are left out."""
    before: Lines = {}
    with suppress(OSError, ValidationError):
        before = _LINES.validate_json((folder / NAME).read_bytes())
    now = {name: _lines(name, data) for name, data in work_files.read(folder).items()}
    changes: dict[str, LineCounts] = {}
    for name in sorted({*before, *now}):
        old, new = Counter(before.get(name, [])), Counter(now.get(name, []))
        if old != new:
            added, removed = (new - old).total(), (old - new).total()
            changes[name] = LineCounts(added=added, removed=removed)
    return changes


def remember(folder: Path) -> None:
    """Save the summary of the current files in `folder`."""
    whole_file.replace(folder / NAME, summary(work_files.read(folder)))


def _lines(name: str, data: bytes) -> list[str]:
    """Digest the lines; of a notebook only those of its cells, without outputs."""
    if name.endswith(".ipynb"):
        text = "\n".join(cell.source for cell in readable_cells(data, limits.MAX_NOTEBOOK))
    else:
        text = data.decode("utf-8", errors="replace")
    return [hashlib.sha256(line.encode()).hexdigest()[:12] for line in text.splitlines()]
