"""Inserts checks before memory accesses in host code, to find uses of device memory.

Only functions with lines of the user's source are changed, not the C and C++ library. No result
about a kernel depends on this pass.
"""

import bisect
from contextlib import suppress

from hotloop.engines.simulate import lines, opcodes
from hotloop.engines.simulate.binary import (
    I32,
    MAGIC,
    BinaryReader,
    ForbiddenInstruction,
    Section,
    const,
    section,
    sections,
    unsigned,
    vector,
)

TOUCH = ("host", "touch")
"""The import that each check calls, with (address, write | site << 1)."""


def watch_host(
    wasm: bytes, watched: int, shadows: tuple[int, int]
) -> tuple[bytes, list[tuple[str, int]]]:
    """Return the module with checks added, and the file and line of each site.

    A check reports addresses below the value stored at `watched`, and those within `shadows`
    (first, end).
    """
    parts = sections(wasm)
    touch = _touch(next(s.body for s in parts if s.number == 2))
    code = next(s for s in parts if s.number == 10)
    rows = lines.table(wasm)
    if touch is None or not any(line for _, _, line, _ in rows):
        return wasm, []
    pass_ = _HostPass(code.body, rows, touch, watched, shadows, _parameters(parts))
    before = [section(s.number, s.body) for s in parts if s.number not in (0, 10, 11)]
    after = [section(s.number, s.body) for s in parts if s.number == 11]
    changed = section(10, pass_.run())
    return MAGIC + b"".join([*before, changed, *after]), pass_.places


def _touch(imports: bytes) -> int | None:
    reader, functions = BinaryReader(imports), 0
    for _ in range(reader.unsigned()):
        names = reader.name(), reader.name()
        kind = reader.byte()
        if kind == 0:
            reader.unsigned()
            if names == TOUCH:
                return functions
            functions += 1
        elif kind == 2:
            flags = reader.byte()
            for _ in range(1 + (flags & 1)):
                reader.unsigned()
    return None


def _parameters(parts: list[Section]) -> list[int]:
    """Return the number of parameters of each defined function."""
    types = BinaryReader(next(s.body for s in parts if s.number == 1))
    counts: list[int] = []
    for _ in range(types.unsigned()):
        types.byte()
        counts.append(len(types.take(types.unsigned())))
        types.take(types.unsigned())
    functions = BinaryReader(next(s.body for s in parts if s.number == 3))
    return [counts[functions.unsigned()] for _ in range(functions.unsigned())]


class _HostPass:
    def __init__(
        self, code: bytes, rows: list[lines.Row], touch: int, watched: int,
        shadows: tuple[int, int], parameters: list[int],
    ) -> None:  # fmt: skip
        self.code = code
        self.rows = rows
        self.touch = touch
        self.watched = watched
        self.shadows = shadows
        self.parameters = parameters
        self.places: list[tuple[str, int]] = [("", 0)]
        self.starts = sorted({offset for offset, _, line, _ in rows if line})

    def run(self) -> bytes:
        reader = BinaryReader(self.code)
        bodies: list[bytes] = []
        count = reader.unsigned()
        for number in range(count):
            end = reader.unsigned() + reader.at
            body = self.code[reader.at : end]
            if self._is_own(reader.at, end):
                with suppress(
                    ForbiddenInstruction
                ):  # host code may contain instructions that the pass rejects
                    body = self._function(
                        BinaryReader(self.code, reader.at, end), self.parameters[number]
                    )
            bodies.append(unsigned(len(body)) + body)
            reader.at = end
        return vector(bodies)

    def _is_own(self, start: int, end: int) -> bool:
        at = bisect.bisect_left(self.starts, start)
        return at < len(self.starts) and self.starts[at] < end

    def _function(self, reader: BinaryReader, parameters: int) -> bytes:
        groups: list[bytes] = []
        total = parameters
        for _ in range(reader.unsigned()):
            at = reader.at
            total += reader.unsigned()
            reader.byte()
            groups.append(self.code[at : reader.at])
        kinds: dict[int, int] = {}

        def place(kind: int) -> int:
            return kinds.setdefault(kind, total + len(kinds))

        address = place(-1)
        out: list[bytes] = []
        while reader.at < reader.end:
            one = opcodes.read(reader)
            access = opcodes.ACCESSES.get(one.op)
            raw = self.code[one.at : one.end]
            if access is None:
                out.append(raw)
                continue
            line = lines.at(self.rows, one.at)[:2]
            if not line[0]:
                out.append(raw)
                continue
            if not self.places or self.places[-1] != line:
                self.places.append(line)
            hook = self._hook(address, one.number, access.writes, len(self.places) - 1)
            if access.writes or access.lane:
                value = place(access.type)
                out += [b"\x21", unsigned(value), hook, b"\x20", unsigned(value), raw]
            else:
                out += [hook, raw]
        groups += [b"\1" + bytes([I32 if kind == -1 else kind]) for kind in kinds]
        return vector(groups) + b"".join(out)

    def _hook(self, address: int, offset: int, writes: bool, site: int) -> bytes:
        get = b"\x20" + unsigned(address)
        limit = const(self.watched) + b"\x28\2\0"
        is_device = get + const(offset) + b"\x6a" + limit + b"\x49"
        first, last = self.shadows
        if first < last:
            inside = (
                get + const((first - offset) & 0xFFFFFFFF) + b"\x6b" + const(last - first) + b"\x49"
            )
            is_device += inside + b"\x72"
        report = (
            get
            + const(offset)
            + b"\x6a"
            + const(int(writes) | site << 1)
            + b"\x10"
            + unsigned(self.touch)
        )
        return b"\x21" + unsigned(address) + is_device + b"\x04\x40" + report + b"\x0b" + get
