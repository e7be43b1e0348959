"""Which heavy packages a process will want, so that it is forked from one that has them.

A guess costs time when it is wrong, and nothing else: what is not preloaded is imported as ever.
"""

import importlib.util
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

HEAVY = ("numpy", "torch")
COMPILER = ("torch._dynamo", "torch._inductor.compile_fx")
"""What the first call of a compiled function imports: twice as long again as torch itself."""
MOST_BYTES = 1 << 20
"""Of a file that is looked at."""

_COMPILES = re.compile(r"\btorch\.compile\b|\btorch\._dynamo\b")
_IMPORT = re.compile(rf"^\s*(?:import|from)\s+({'|'.join(HEAVY)})\b", re.MULTILINE)


def preloaded(folders: Iterable[Path]) -> tuple[str, ...]:
    """The heavy packages that Python files directly in `folders` import."""
    texts = [_text(path) for folder in folders for path in sorted(folder.glob("*.py"))]
    return imported(texts)


def imported(texts: Iterable[str]) -> tuple[str, ...]:
    """The heavy packages that pieces of Python text import, if they are installed here."""
    found: set[str] = set()
    compiles = False
    for text in texts:
        found.update(_IMPORT.findall(text))
        compiles |= _COMPILES.search(text) is not None
    heavy = tuple(name for name in HEAVY if name in found and _installed(name))
    return (*heavy, *COMPILER) if compiles and "torch" in heavy else heavy


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
