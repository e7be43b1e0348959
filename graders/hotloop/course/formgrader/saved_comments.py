"""Comments that graders of a course keep to use again: a file each, in the course's folder.

A file for each, because several graders may add and remove at the same time.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = "saved_comments"
MAX_TEXT = 10_000
"""Characters."""


@dataclass(frozen=True)
class SavedComment:
    """task: `assignment.cell`, beside which it was saved."""

    id: str
    task: str
    text: str


def saved(root: Path) -> list[SavedComment]:
    """All of the course at `root`, by task and text."""
    found: list[SavedComment] = []
    for path in (root / FOLDER).glob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        found.append(SavedComment(path.stem, document["task"], document["text"]))
    return sorted(found, key=lambda comment: (comment.task, comment.text))


def save(root: Path, task: str, text: str) -> SavedComment:
    """Keep a comment; saved twice, it is there once. ValueError when it is empty or too long."""
    text = text.strip()
    if not text or len(text) > MAX_TEXT:
        raise ValueError(f"A comment to save has between 1 and {MAX_TEXT} characters.")
    document = json.dumps({"task": task, "text": text})
    comment = SavedComment(hashlib.sha256(document.encode()).hexdigest()[:16], task, text)
    (root / FOLDER).mkdir(exist_ok=True)
    (root / FOLDER / f"{comment.id}.json").write_text(document, encoding="utf-8")
    return comment


def remove(root: Path, comment: str) -> None:
    """Forget the comment with this id. KeyError when there is none."""
    if comment not in {each.id for each in saved(root)}:
        raise KeyError(f"there is no saved comment {comment!r}")
    (root / FOLDER / f"{comment}.json").unlink()
