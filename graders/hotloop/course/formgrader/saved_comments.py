"""Comments that graders save for reuse: one file each in the course's folder.

Separate files allow several graders to add and remove comments at the same time.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = "saved_comments"
MAX_TEXT = 10_000
"""In characters."""


@dataclass(frozen=True)
class SavedComment:
    """A saved comment. task: `assignment.cell`, next to which it was saved."""

    id: str
    task: str
    text: str


def saved(root: Path) -> list[SavedComment]:
    """Return all comments of the course at `root`, sorted by task and text."""
    comments: list[SavedComment] = []
    for path in (root / FOLDER).glob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        comments.append(SavedComment(path.stem, document["task"], document["text"]))
    return sorted(comments, key=lambda comment: (comment.task, comment.text))


def save(root: Path, task: str, text: str) -> SavedComment:
    """Save a comment, once if repeated. Raises ValueError if it is empty or too long."""
    text = text.strip()
    if not text or len(text) > MAX_TEXT:
        raise ValueError(f"A comment to save has between 1 and {MAX_TEXT} characters.")
    document = json.dumps({"task": task, "text": text})
    comment = SavedComment(hashlib.sha256(document.encode()).hexdigest()[:16], task, text)
    (root / FOLDER).mkdir(exist_ok=True)
    (root / FOLDER / f"{comment.id}.json").write_text(document, encoding="utf-8")
    return comment


def remove(root: Path, comment: str) -> None:
    """Delete a comment by id. Raises KeyError if it does not exist."""
    if comment not in {each.id for each in saved(root)}:
        raise KeyError(f"there is no saved comment {comment!r}")
    (root / FOLDER / f"{comment}.json").unlink()
