"""Guesses which heavy packages a process will import, so that a zygote that has them forks it.

A wrong guess only costs time: packages that were not preloaded are imported as usual.
"""

import importlib.util
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

HEAVY = ("numpy", "torch")
COMPILER = ("torch._dynamo", "torch._inductor.compile_fx")
"""Imported by the first call of a compiled function; takes twice as long as importing torch."""
MOST_BYTES = 1 << 20
"""Largest file that is searched for imports, in bytes."""

_COMPILES = re.compile(r"\btorch\.compile\b|\btorch\._dynamo\b")
_IMPORT = re.compile(rf"^\s*(?:import|from)\s+({'|'.join(HEAVY)})\b", re.MULTILINE)


def preloaded(folders: Iterable[Path]) -> tuple[str, ...]:
    """Return the heavy packages that Python files directly in `folders` import."""
    texts = [_text(path) for folder in folders for path in sorted(folder.glob("*.py"))]
    return imported(texts)


def imported(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the heavy packages that these Python texts import and that are installed.

    COMPILER is added if a text uses torch.compile.
    """
    names: set[str] = set()
    compiles = False
    for text in texts:
        names.update(_IMPORT.findall(text))
        compiles |= _COMPILES.search(text) is not None
    heavy = tuple(name for name in HEAVY if name in names and _installed(name))
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
