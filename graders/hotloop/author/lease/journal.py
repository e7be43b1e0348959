"""What each piece of work on a device came to: `tests/gpu/leases/<device>.json`.

Run files hold what was measured. The journal holds what they have no place for: outcomes of the
self-test, exploits and profiles, how long each piece took, and which were tried in vain.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from hotloop.author.evidence import file_name
from hotloop.core import paths
from hotloop.core.wire import as_message

Outcome = Literal["done", "open", "crashed", "late"]
"""open: it ended and decided nothing; late: it was ended at its time limit."""

FORMAT = 1


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
        partial = self.path.with_suffix(".new")
        partial.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
        partial.replace(self.path)


def folder() -> Path:
    """Return where the journals of all devices are."""
    return paths.root() / "tests" / "gpu" / "leases"


def journal_of(device: str, where: Path | None = None) -> Journal:
    """Read a device's journal; empty if there is none. Raises ValueError for another format."""
    path = (where or folder()) / f"{file_name(device)}.json"
    if not path.is_file():
        return Journal(device, path, {})
    document = as_message(json.loads(path.read_text(encoding="utf-8")))
    if document is None or document.get("format") != FORMAT or document.get("device") != device:
        raise ValueError(f"{path} is no journal of {device} in format {FORMAT}")
    pieces: dict[str, dict[str, Any]] = document["pieces"]
    return Journal(device, path, {name: Entry(**entry) for name, entry in pieces.items()})
