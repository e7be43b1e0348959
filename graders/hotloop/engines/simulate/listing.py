"""Kernels as clang's listing, not optimized and with pointers of 64 bits: to be read, not run.

The target is WebAssembly still, so that what only a GPU does is a call of a simulator's function.
"""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hotloop.engines.simulate import build, toolchain
from hotloop.engines.simulate.problem import CompileError

_TARGET = "wasm64-unknown-unknown"
_FOLDERS = {
    "wasm-wasi-musl": "x86_64-linux-musl",
    "wasm32-wasi-any": "x86-linux-any",
    "any-wasi-any": "any-linux-any",
}
"""Of Zig's C headers: WASI's are for 32 bits only."""

MOST_BYTES = 900_000
"""Of a listing: it has to fit into a message."""

_MARKER = re.compile(r'^# \d+ "(.*)"')


def listing(source: Path) -> str:
    """Return the listing of a source's device code.

    Raises CompileError if there is none, or if the source asks which compiler reads it: what is
    read would be something else than what is run.
    """
    run = [*build.READS[1], *toolchain.headers()]
    read = [_changed(option) for option in run] + ["-DHOTLOOP_READER=1"]
    if _own_lines(run, source) != _own_lines(read, source):
        raise CompileError("the source is another one for each compiler")
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "code.ll"
        more = ["-disable-llvm-passes", "-emit-llvm", str(source), "-o", str(result)]
        toolchain.clang([*read, *more])
        text = result.read_text(encoding="utf-8", errors="surrogateescape")
    if len(text) > MOST_BYTES:
        raise CompileError("the source is too long")
    return text


def _changed(option: str) -> str:
    if option == toolchain.TARGET:
        return _TARGET
    if option == "-O2":
        return "-O0"
    path = Path(option)
    return str(path.parent / _FOLDERS[path.name]) if path.name in _FOLDERS else option


def _own_lines(options: Sequence[str], source: Path) -> list[str]:
    """Return the source without what it includes, as its macros leave it."""
    lines: list[str] = []
    mine = False
    for line in toolchain.expanded(options, source).splitlines():
        if match := _MARKER.match(line):
            mine = match[1] == str(source)
        elif mine and line.strip():
            lines.append(line.strip())
    return lines
