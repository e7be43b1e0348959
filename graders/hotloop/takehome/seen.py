"""What the candidate's files looked like at the last event, so that the work log can say how much
has changed: for each file a short digest of each of its lines, never the lines.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from hotloop import whole_file
from hotloop.notebook_cells import readable_cells
from hotloop.problem import Strict
from hotloop.takehome import limits, work_files

NAME = "work_log_seen.json"

Lines = dict[str, list[str]]
_LINES = TypeAdapter(Lines)
Count = Annotated[int, Field(ge=0, le=10_000_000)]


class Change(Strict):
    """Lines that came and lines that went; a line that was moved is neither."""

    added: Count
    removed: Count


def summary(files: Mapping[str, bytes]) -> bytes:
    """The file that says what `files` look like."""
    return (json.dumps({name: _lines(name, data) for name, data in files.items()}) + "\n").encode()


def since_last(folder: Path) -> dict[str, Change]:
    """What has changed in `folder`; files without a change are left out."""
    before = _remembered(folder)
    now = {name: _lines(name, data) for name, data in work_files.read(folder).items()}
    changes = {
        name: _change(before.get(name, []), now.get(name, [])) for name in sorted({*before, *now})
    }
    return {name: change for name, change in changes.items() if change.added or change.removed}


def remember(folder: Path) -> None:
    """From here on, what lies in `folder` now counts as seen."""
    whole_file.replace(folder / NAME, summary(work_files.read(folder)))


def _remembered(folder: Path) -> Lines:
    try:
        return _LINES.validate_json((folder / NAME).read_bytes())
    except (OSError, ValidationError):
        return {}


def _change(before: list[str], now: list[str]) -> Change:
    old, new = Counter(before), Counter(now)
    return Change(added=(new - old).total(), removed=(old - new).total())


def _lines(name: str, data: bytes) -> list[str]:
    """Of a notebook the lines of its cells: outputs and counters are no work."""
    if name.endswith(".ipynb"):
        text = "\n".join(cell.source for cell in readable_cells(data, limits.MAX_NOTEBOOK))
    else:
        text = data.decode("utf-8", errors="replace")
    return [hashlib.sha256(line.encode()).hexdigest()[:12] for line in text.splitlines()]
