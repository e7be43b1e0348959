"""Finds how many bytes a thread loads or stores per instruction, for each kernel.

Reads machine code (SASS, as nvdisasm or cuobjdump print it), or PTX if there is no disassembler.
ptxas normally keeps the widths of PTX but removes and duplicates instructions, so counts from PTX
are counts before ptxas.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

Code = Literal["SASS", "PTX"]
Did = Literal["load", "store"]

_PREDICATE = r"(?:@!?U?P\w+\s+)?"
_SASS_FUNCTION = re.compile(r"^\.text\.([\w$.]+):|^\s*Function : ([\w$.]+)")
_SASS_PLACE = re.compile(r'"([^"]*)", line (\d{1,7})')
_SASS_INSTRUCTION = re.compile(rf"/\*[0-9a-f]+\*/\s+{_PREDICATE}([A-Z][\w.]+)")
_SASS_OPCODES: Mapping[str, Did] = {
    "LDG": "load",
    "LD": "load",
    "LDGSTS": "load",
    "UTMALDG": "load",
    "UTMASTG": "store",
    "STG": "store",
    "ST": "store",
}
_SASS_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}
_BULK = 16
"""A bulk copy of a tile (UBLKCP, UTMALDG, UTMASTG) moves multiples of this many bytes."""

_PTX_FUNCTION = re.compile(r"\.(entry|func)\b[^;]*?([\w$]+)\s*\(?$")
_PTX_FILE = re.compile(r'^\s*\.file\s+(\d+) "([^"]*)"')
_PTX_PLACE = re.compile(r"^\s*\.loc\s+(\d+) (\d{1,7})")
_PTX_INLINED = re.compile(r"inlined_at (\d+) (\d{1,7})")
_PTX_ACCESS = re.compile(r"^\s*(?:@!?%\w+\s+)?(ld|st)\.([\w.:]+)\s")
_PTX_COPY = re.compile(r"\bcp\.async\.c[ag]\.shared\.global\S*\s+\[[^\]]*\], \[[^\]]*\], (\d{1,2})")
_PTX_ELSEWHERE = frozenset({"shared", "local", "param", "const"})


@dataclass(frozen=True)
class SassAccess:
    """Accesses of a kernel with the same width. lines: of the source, if known."""

    did: Did
    bytes: int
    count: int
    lines: tuple[int, ...]


Accesses = Mapping[str, tuple[SassAccess, ...]]
"""Accesses by kernel symbol; loads before stores, the widest first."""


def widest(accesses: tuple[SassAccess, ...], did: Did) -> int:
    """Return the bytes of the widest access, or 0 if there is none."""
    return max((access.bytes for access in accesses if access.did == did), default=0)


def from_sass(text: str, source: str) -> Accesses:
    """Return global memory accesses in a disassembly. source: file name, to select lines."""
    return _collected(_sass(text, source))


def opcodes(text: str) -> Mapping[str, frozenset[str]]:
    """Return the opcodes in a disassembly, such as `HGMMA`, by kernel symbol."""
    by_kernel: dict[str, set[str]] = defaultdict(set)
    kernel = ""
    for row in text.splitlines():
        if function := _SASS_FUNCTION.search(row):
            kernel = function[1] or function[2]
        elif instruction := _SASS_INSTRUCTION.search(row):
            by_kernel[kernel].add(instruction[1].partition(".")[0])
    return {kernel: frozenset(names) for kernel, names in by_kernel.items()}


def from_ptx(text: str, source: str) -> Accesses:
    """Return global memory accesses in PTX. source: file name, to select lines."""
    return _collected(_ptx(text, source))


_Instruction = tuple[str, Did, int, int | None]
"""Kernel, load or store, bytes, and line of the source if known."""


def _sass(text: str, source: str) -> Iterator[_Instruction]:
    kernel: str | None = None
    line: int | None = None
    for row in text.splitlines():
        if function := _SASS_FUNCTION.search(row):
            kernel, line = function[1] or function[2], None
        elif "//## File" in row:
            line = _own_line(_SASS_PLACE.findall(row), source)
        elif kernel is not None and (instruction := _SASS_INSTRUCTION.search(row)):
            access = _sass_access(instruction[1].split("."))
            if access is not None:
                yield kernel, *access, line


def _sass_access(parts: list[str]) -> tuple[Did, int] | None:
    if parts[0] == "UBLKCP":
        # A copy from global to shared memory, or back.
        return ("load" if "S" in parts[1:2] else "store"), _BULK
    did = _SASS_OPCODES.get(parts[0])
    if did is None:
        return None
    if parts[0] in ("UTMALDG", "UTMASTG"):
        return did, _BULK
    return did, next((_SASS_BYTES[p] for p in parts[1:] if p in _SASS_BYTES), 4)


def _ptx(text: str, source: str) -> Iterator[_Instruction]:
    files = {f[1]: f[2] for row in text.splitlines() if (f := _PTX_FILE.search(row))}
    kernel: str | None = None
    line: int | None = None
    for row in text.splitlines():
        if function := _PTX_FUNCTION.search(row):
            kernel, line = (function[2] if function[1] == "entry" else None), None
        elif place := _PTX_PLACE.search(row):
            places = [(place[1], place[2]), *_PTX_INLINED.findall(row)]
            line = _own_line([(files.get(f, ""), number) for f, number in places], source)
        elif kernel is not None:
            access = _ptx_access(row)
            if access is not None:
                yield kernel, *access, line


def _ptx_access(row: str) -> tuple[Did, int] | None:
    if copy := _PTX_COPY.search(row):
        return "load", int(copy[1])
    access = _PTX_ACCESS.search(row)
    if access is None:
        return None
    parts = re.split(r"[.:]+", access[2])
    if not _PTX_ELSEWHERE.isdisjoint(parts):
        return None
    element = next((int(b[1]) for p in parts if (b := re.fullmatch(r"[bsuf](\d+)", p))), 32)
    count = next((int(v[1]) for p in parts if (v := re.fullmatch(r"v([248])", p))), 1)
    return ("load" if access[1] == "ld" else "store"), element // 8 * count


def _own_line(places: list[tuple[str, str]], source: str) -> int | None:
    """Return the outermost of a function's inlining locations in the source file, or None."""
    own = [int(line) for file, line in places if file.rpartition("/")[2] == source]
    return own[-1] if own else None


def _collected(instructions: Iterator[_Instruction]) -> Accesses:
    counts: dict[tuple[str, Did, int], int] = defaultdict(int)
    lines: dict[tuple[str, Did, int], set[int]] = defaultdict(set)
    for kernel, did, size, line in instructions:
        counts[kernel, did, size] += 1
        if line is not None:
            lines[kernel, did, size].add(line)
    accesses: dict[str, list[SassAccess]] = defaultdict(list)
    for key, count in sorted(counts.items(), key=lambda item: (item[0][1], -item[0][2])):
        kernel, did, size = key
        accesses[kernel].append(SassAccess(did, size, count, tuple(sorted(lines[key]))))
    return {kernel: tuple(entries) for kernel, entries in accesses.items()}
