"""Verifies an instrumented module independently before it runs.

It shares no code with the pass (`instrument`) except for reading bytes. It requires that every load
and store of the program's memory follows a call of the checker with its address, and that only the
pass's own frames use the other memory.
"""

from hotloop.engines.simulate.binary import (
    BinaryReader,
    ForbiddenInstruction,
    sections,
    well_formed,
)

_STORES = range(0x36, 0x3F)
_BYTES = dict(
    zip(
        range(0x28, 0x3F),
        (4, 8, 4, 8, 1, 1, 2, 2, 1, 1, 2, 2, 4, 4, 4, 8, 4, 8, 1, 2, 1, 2, 4),
        strict=True,
    )
)
_VECTOR_STORES = frozenset({11, 88, 89, 90, 91})
_VECTOR_BYTES = {
    0: 16, 7: 1, 8: 2, 9: 4, 10: 8, 11: 16, 92: 4, 93: 8,
    **dict.fromkeys(range(1, 7), 8),
    **{84 + n: 1 << (n & 3) for n in range(8)},
}  # fmt: skip

Seen = tuple[int, int, int]
"""An instruction: its opcode (with its prefix, if any) and up to two immediates."""

Access = tuple[int, int, bool, int]
"""Memory index, bytes, whether it writes, and log2 of the alignment."""


def verify(wasm: bytes, entries: int) -> int:
    """Return the number of accesses to the program's memory, all of which are reported.

    entries: number of functions at the end that the pass generated; they are not checked. Raises
    ForbiddenInstruction if an access is not reported.
    """
    with well_formed():
        return _accesses(wasm, entries)


def _accesses(wasm: bytes, entries: int) -> int:
    parts = {s.number: s.body for s in sections(wasm) if s.number}
    access, range_ = _hooks(parts[2])
    reader = BinaryReader(parts[10])
    count, total = reader.unsigned(), 0
    for number in range(count):
        end = reader.unsigned() + reader.at
        if number < count - entries:
            total += _function(reader, end, access, range_)
        reader.at = end
    return total


def _hooks(imports: bytes) -> tuple[int, int]:
    """Return the indices of `access` and `range`.

    Raises ForbiddenInstruction for imports from elsewhere.
    """
    reader = BinaryReader(imports)
    numbers: dict[str, int] = {}
    for _ in range(reader.unsigned()):
        space, name, kind = reader.name(), reader.name(), reader.byte()
        if kind == 0 and space == "checker" and name not in numbers:
            numbers[name] = len(numbers)
            reader.unsigned()
        elif kind == 2 and space == "program":
            reader.byte()
            reader.unsigned()
        else:
            raise ForbiddenInstruction(f"import {space}.{name}")
    return numbers["access"], numbers["range"]


def _function(reader: BinaryReader, end: int, access: int, range_: int) -> int:
    for _ in range(reader.unsigned()):
        reader.unsigned()
        reader.byte()
    last: list[Seen] = []
    accesses = 0
    while reader.at < end:
        one, memory = _next(reader)
        if memory is not None and memory[0] == 0:
            _require_access(last, access, one, memory)
            accesses += 1
        elif one[0] in (0xFC0A, 0xFC0B):
            _require_range(last, range_, 2 if one[0] == 0xFC0A else 1)
            accesses += 1
        elif memory is not None:
            _require_frame(last, memory)
        last.append(one)
        del last[:-16]
    return accesses


def _require_frame(last: list[Seen], access: Access) -> None:
    """Require … global.get, [local.get,] and the access: the form that saves and loads frames."""
    memory, _, writes, align = access
    before = [one[0] for one in last[-2:]]
    matches = before == [0x23, 0x20] if writes else before[-1:] == [0x23]
    if not matches or memory != 1 or align != 0:
        raise ForbiddenInstruction("an access of the frames that the pass did not make")


def _require_access(last: list[Seen], access: int, one: Seen, memory: Access) -> None:
    """Require … tee A, const offset, const info, call access, get A, [get value,] the access."""
    _, count, writes, align = memory
    takes_value = writes or 0xFD54 <= one[0] <= 0xFD5B
    window = last[-6:-1] if takes_value else last[-5:]
    if len(window) < 5 or (takes_value and last[-1][0] != 0x20):
        raise ForbiddenInstruction("an access that is not reported")
    tee, offset, info, call, get = window
    matches = tee[0] == 0x22 and offset[:2] == (0x41, one[2]) and info[0] == 0x41
    matches = matches and call[:2] == (0x10, access) and get[:2] == (0x20, tee[1])
    if not matches or info[1] & 0x1FF != count | writes << 5 | align << 6:
        raise ForbiddenInstruction("an access that is not reported as what it is")


def _require_range(last: list[Seen], range_: int, hooks: int) -> None:
    """Require … (get A, get N, const info, call range) once or twice, get D, S, N, and the copy."""
    if len(last) < 3 + 4 * hooks:
        raise ForbiddenInstruction("a copy that is not reported")
    gets = last[-3:]
    write = last[-3 - 4 * hooks :][:4]
    read = last[-7:-3]
    matches = all(one[0] == 0x20 for one in gets) and _is_range(write, gets[0], gets[2], range_, 1)
    if not matches or (hooks == 2 and not _is_range(read, gets[1], gets[2], range_, 0)):
        raise ForbiddenInstruction("a copy that is not reported as what it is")


def _is_range(hook: list[Seen], place: Seen, count: Seen, range_: int, writes: int) -> bool:
    at, size, info, call = hook
    matches = at == place and size == count and call[:2] == (0x10, range_)
    return matches and info[0] == 0x41 and info[1] & 1 == writes


def _next(reader: BinaryReader) -> tuple[Seen, Access | None]:
    """Read the next instruction, and its access if it has one."""
    op = reader.byte()
    if op == 0xFD:
        return _vector(reader)
    if op == 0xFC:
        sub = reader.unsigned()
        if sub in (10, 11) and reader.take(12 - sub).strip(b"\0"):
            raise ForbiddenInstruction("a copy of the frames")
        if sub > 7 and sub not in (10, 11):
            raise ForbiddenInstruction("an unknown instruction")
        return (0xFC00 + sub, 0, 0), None
    if op in _BYTES:
        align, memory, offset = _memory(reader)
        return (op, 0, offset), (memory, _BYTES[op], op in _STORES, align)
    return (op, *_immediates(reader, op)), None


def _vector(reader: BinaryReader) -> tuple[Seen, Access | None]:
    sub = reader.unsigned()
    if sub in _VECTOR_BYTES:
        align, memory, offset = _memory(reader)
        if 84 <= sub <= 91:
            reader.byte()
        access = (memory, _VECTOR_BYTES[sub], sub in _VECTOR_STORES, align)
        return (0xFD00 + sub, 0, offset), access
    if sub in (12, 13):
        reader.take(16)
    elif 21 <= sub <= 34:
        reader.byte()
    elif sub > 255:
        raise ForbiddenInstruction("an unknown instruction")
    return (0xFD00 + sub, 0, 0), None


def _immediates(reader: BinaryReader, op: int) -> tuple[int, int]:
    if op == 0x41:
        return reader.signed() & 0xFFFFFFFF, 0
    if op in (0x42, 0x02, 0x03, 0x04):
        return reader.signed(), 0
    if op in (0x0C, 0x0D, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24):
        return reader.unsigned(), 0
    if op == 0x11:
        return reader.unsigned(), reader.unsigned()
    if op == 0x0E:
        for _ in range(reader.unsigned() + 1):
            reader.unsigned()
    elif op in (0x43, 0x44):
        reader.take(4 if op == 0x43 else 8)
    elif op not in (0x00, 0x01, 0x05, 0x0B, 0x0F, 0x1A, 0x1B) and not 0x45 <= op <= 0xC4:
        raise ForbiddenInstruction("an unknown instruction")
    return 0, 0


def _memory(reader: BinaryReader) -> tuple[int, int, int]:
    """Read log2 of the alignment, the memory index and the offset."""
    flags = reader.unsigned()
    memory = reader.unsigned() if flags & 0x40 else 0
    return flags & 0x3F, memory, reader.unsigned()
