"""Which code a recorded run measured: a digest of the module's solutions and checks.

The run stores it. If today's digest differs, the run is older than the code. The digest excludes
the prose of notebooks, and the judge, whose digest is stored with Hotloop's version.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hotloop.core import paths
from hotloop.variants.form import NAME as VARIANTS

_PROSE = re.compile(r"^# %% \[markdown\].*?(?=^# %%|\Z)", re.MULTILINE | re.DOTALL)


@cache
def measured_code(module: str) -> str:
    """Return the first 16 hex digits of a SHA-256 over names and contents."""
    total = hashlib.sha256()
    for name, content in _files(module):
        total.update(f"{name}\0".encode())
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()[:16]


def _files(module: str) -> Iterator[tuple[str, bytes]]:
    """Yield the solutions, wrong answers included, and the module's checks.

    variants.yaml is excluded: a run measures the module without variants.
    """
    for name, content in _below(paths.solutions() / module, "solutions"):
        if name != f"solutions/{VARIANTS}":
            yield name, content
    yield from _below(Path(__file__).parent / "checks" / module, "checks")


def _below(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            content = path.read_bytes()
            if path.name == "lab.py":
                content = _PROSE.sub("", content.decode("utf-8")).encode()
            yield f"{name}/{path.relative_to(folder).as_posix()}", content
