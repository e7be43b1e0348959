"""Which heavy packages a process will want, so that it is forked from one that has them.

A guess costs time when it is wrong, and nothing else: what is not preloaded is imported as ever.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

HEAVY = ("numpy", "torch")
MOST_BYTES = 1 << 20
"""Of a file that is looked at."""

_IMPORT = re.compile(rf"^\s*(?:import|from)\s+({'|'.join(HEAVY)})\b", re.MULTILINE)


def preloaded(folders: Iterable[Path]) -> tuple[str, ...]:
    """The heavy packages that Python files directly in `folders` import."""
    texts = [_text(path) for folder in folders for path in sorted(folder.glob("*.py"))]
    return imported(texts)


def imported(texts: Iterable[str]) -> tuple[str, ...]:
    """The heavy packages that pieces of Python text import, if they are installed here."""
    found = {name for text in texts for name in _IMPORT.findall(text)}
    return tuple(name for name in HEAVY if name in found and _installed(name))


def _text(path: Path) -> str:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@cache
def _installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None
