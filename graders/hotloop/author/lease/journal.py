"""What each piece of work on a device came to: `tests/gpu/leases/<device>.json`.

Run files hold what was measured. The journal holds what they have no place for: outcomes of the
self-test, exploits and profiles, how long each piece took, and which were tried in vain.
"""

import fcntl
import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from hotloop.author.evidence import file_name
from hotloop.core import paths, whole_file
from hotloop.core.user_error import UserError
from hotloop.core.wire import as_message
from hotloop.core.yaml_lines import CurriculumError, load
from hotloop.tasks import curriculum

Outcome = Literal["done", "open", "crashed", "late"]
"""open: it ended and decided nothing; late: it was ended at its time limit."""

FORMAT = 1


class JournalError(UserError, ValueError):
    """A file is no journal of the device."""


@dataclass(frozen=True)
class Entry:
    """The last try of one piece. code: what it ran, as `Piece.code`. tries: with that code."""

    outcome: Outcome
    said: str
    seconds: float
    code: str
    tries: int = 1
    at: str = ""
    versions: dict[str, str] = field(default_factory=dict[str, str])
    figures: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class Journal:
    """All entries of one device, by piece."""

    device: str
    path: Path
    entries: dict[str, Entry]

    def note(self, name: str, entry: Entry) -> None:
        """Write the outcome of a piece at once, so that a kill loses none before it."""
        before = self.entries.get(name)
        tries = before.tries + 1 if before is not None and before.code == entry.code else 1
        now = datetime.now(UTC).isoformat("T", "seconds")
        self.entries[name] = replace(entry, tries=tries, at=now)
        document = {
            "format": FORMAT,
            "device": self.device,
            "pieces": {key: asdict(self.entries[key]) for key in sorted(self.entries)},
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        whole_file.replace(self.path, text.encode())


def folder() -> Path:
    """Return where the journals of all devices are."""
    return paths.root() / "tests" / "gpu" / "leases"


def journal_of(device: str, where: Path | None = None) -> Journal:
    """Read a device's journal; empty if there is none. Raises JournalError if it cannot be read."""
    path = (where or folder()) / f"{file_name(device)}.json"
    if not path.is_file():
        return Journal(device, path, {})
    try:
        document = as_message(json.loads(path.read_text(encoding="utf-8"))) or {}
        known = (document.get("format"), document.get("device")) == (FORMAT, device)
        pieces: dict[str, dict[str, Any]] = document["pieces"] if known else {}
        entries = {name: Entry(**entry) for name, entry in pieces.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        known, entries = False, {}
    if not known:
        raise JournalError(f"{path} is no journal of {device} in format {FORMAT}")
    return Journal(device, path, entries)


@contextmanager
def only_one(lock: Path) -> Generator[bool]:
    """Yield whether no other lease of this clone runs: each would write over the other's files."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def set_aside(device: str, where: Path) -> list[Path]:
    """Rename the journal and the run files that cannot be read; return them as they were called.

    A file that was cut off or edited would else end every lease before its first piece.
    """
    broken = [
        path
        for module in curriculum.modules()
        for path in sorted((curriculum.folder(module.id) / "runs").glob("*.json"))
        if not _is_run(path)
    ]
    try:
        journal_of(device, where)
    except JournalError:
        broken.append(where / f"{file_name(device)}.json")
    for path in broken:
        path.replace(path.with_name(f"{path.name}.unreadable"))
    return broken


def _is_run(path: Path) -> bool:
    try:
        load(path, curriculum.RecordedRun)
    except CurriculumError:
        return False
    return True
