"""A submission's files, read without trust: no links are followed, no size is believed."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from hotloop.judge.verdict import Ruling, Verdict

MAX_TEXT = 256 * 1024


@dataclass(frozen=True)
class SubmissionFiles:
    """The folder that a learner handed in; `root` is None where there are no files."""

    root: Path | None

    def read_text(self, name: str, limit: int = MAX_TEXT) -> str:
        """The UTF-8 text of a file directly in the folder. Ruling when it cannot be had."""
        if self.root is None or "/" in name or name in {"", ".", ".."}:
            raise Ruling(Verdict.RUNTIME_ERROR, f"The file {name!r} is missing: hand it in too.")
        try:
            fd = os.open(self.root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            raise Ruling(
                Verdict.RUNTIME_ERROR, f"The file {name!r} is missing: hand it in too."
            ) from None
        with os.fdopen(fd, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise Ruling(Verdict.RUNTIME_ERROR, f"{name!r} is not an ordinary file.")
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise Ruling(Verdict.OUTPUT_LIMIT, f"{name!r} is longer than {limit} bytes.")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise Ruling(Verdict.COMPILE_ERROR, f"{name!r} is not UTF-8 text.") from None


def digest(root: Path) -> str:
    """SHA-256 over names and contents of the ordinary files below `root`, in name order."""
    total = hashlib.sha256()
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(folder) / name
            if path.is_symlink() or not path.is_file():
                continue
            content = hashlib.sha256(path.read_bytes()).digest()
            total.update(str(path.relative_to(root)).encode() + b"\0" + content)
    return total.hexdigest()
